// The JSON of the C interface has the keys of `explain --json`, and its costs add up.
#include <gtest/gtest.h>
#include <switchyard.h>

#include <nlohmann/json.hpp>

namespace {

using Json = nlohmann::json;

/// A text that is freed.
class Text {
 public:
  ~Text() { sy_free(text_); }
  char** out() { return &text_; }
  [[nodiscard]] const char* get() const { return text_; }

 private:
  char* text_ = nullptr;
};

class CJson : public ::testing::Test {
 protected:
  void SetUp() override {
    sy_options options{};
    options.devices = "none";
    options.reproducible = 1;
    ASSERT_EQ(sy_runtime_create(&options, &runtime_), SY_OK);
    std::vector<double> dense(100 * 80);
    for (std::size_t i = 0; i < dense.size(); i += 7) dense[i] = static_cast<double>(i);
    ASSERT_EQ(sy_matrix_dense_f64(runtime_, 100, 80, dense.data(), SY_COPY, &matrix_), SY_OK);
    ASSERT_EQ(sy_expect_calls(matrix_, nullptr, 1000), SY_OK);
  }
  void TearDown() override {
    sy_matrix_free(matrix_);
    sy_runtime_free(runtime_);
  }
  [[nodiscard]] Json explained() const {
    Text text;
    EXPECT_EQ(sy_explain_json(matrix_, nullptr, text.out()), SY_OK) << sy_last_error();
    return Json::parse(text.get());
  }

  sy_runtime* runtime_ = nullptr;
  sy_matrix* matrix_ = nullptr;
};

TEST_F(CJson, ExplainsWhatThePlanWasChosenFrom) {
  const Json document = explained();
  for (const char* const key : {"schema_version", "matrix", "horizon", "precision", "columns",
                                "transposed", "valid", "edges", "nodes", "plan", "alternatives",
                                "refused", "vectors", "models", "states", "counters"}) {
    EXPECT_TRUE(document.contains(key)) << key;
  }
  EXPECT_EQ(document["matrix"]["rows"], 100);
  EXPECT_EQ(document["matrix"]["cols"], 80);
  EXPECT_EQ(document["horizon"], 1000);
  EXPECT_EQ(document["precision"], "double");
  EXPECT_EQ(document["valid"], Json({"dense@host"}));
  double steps = 0;
  for (const Json& step : document["plan"]["steps"])
    steps += step["predicted_seconds"].get<double>();
  EXPECT_GT(steps, 0);
  EXPECT_DOUBLE_EQ(document["plan"]["predicted_seconds"].get<double>(), steps);
  EXPECT_GT(document["nodes"].size(), 2U);
}

TEST_F(CJson, ThePlanIsThatOfTheExplanation) {
  Text text;
  ASSERT_EQ(sy_plan_json(matrix_, nullptr, text.out()), SY_OK);
  Json plan = Json::parse(text.get());
  EXPECT_EQ(plan["schema_version"], 1);
  plan.erase("schema_version");
  EXPECT_EQ(plan, explained()["plan"]);
}

TEST_F(CJson, CountsCallsAndNamesTheStatesThatTheyLed) {
  const std::vector<double> x(80, 1.0);
  std::vector<double> y(100);
  ASSERT_EQ(sy_pin(matrix_, "csr@host"), SY_OK);
  ASSERT_EQ(sy_multiply_f64(matrix_, nullptr, 1, x.data(), 80, 0, y.data(), 100), SY_OK);
  const Json document = explained();
  EXPECT_EQ(document["counters"]["calls"], 1);
  EXPECT_EQ(document["counters"]["conversions"], 1);
  EXPECT_EQ(document["states"], Json({"dense@host", "csr@host"}));
  EXPECT_TRUE(document["plan"]["pinned"].get<bool>());
}

}  // namespace
