// `switchyard bench decisions --transposed`: mixes of products and transposed ones. No time is
// looked at.
#include <algorithm>

#include "command_runner.hpp"
#include "core/decision/pages.hpp"

namespace switchyard::test {
namespace {

class BenchMixes : public CommandTest {};

/// One entry of a mix of products and transposed ones, by itself.
void expect_consistent_mix(const Json& entry, int columns) {
  SCOPED_TRACE(entry.dump());
  ASSERT_EQ(entry["kinds"].size(), 2U);
  EXPECT_EQ(entry["kinds"][0], Json({{"columns", columns}, {"transposed", false}}));
  EXPECT_EQ(entry["kinds"][1], Json({{"columns", columns}, {"transposed", true}}));
  EXPECT_EQ(entry["last_states"].size(), 2U);
  std::vector<double> fixed;
  for (const Json& seconds : entry["seconds"]) fixed.push_back(seconds);
  EXPECT_GE(fixed.size(), 2U);
  EXPECT_EQ(entry["seconds_oracle"], std::ranges::min(fixed));
  const std::string best = entry["oracle_states"][0].get<std::string>() + ", " +
                           entry["oracle_states"][1].get<std::string>();
  EXPECT_EQ(entry["seconds"][best], entry["seconds_oracle"]);
  EXPECT_EQ(entry["regret"].get<double>(),
            entry["seconds_adaptive"].get<double>() / entry["seconds_oracle"].get<double>());
  EXPECT_LE(entry["max_error"].get<double>(), 1);
}

TEST_F(BenchMixes, AreComparedWithAStateForEachKindOfCall) {
  for (const int columns : {1, 3}) {
    const Json document =
        run_json({"bench", "decisions", "--quick", "--repetitions", "2", "--transposed",
                  "--columns", std::to_string(columns), "--matrix", "uniform:40:0.3", "--calls",
                  "1", "--calls", "4", "--state", "csr@host"});
    ASSERT_EQ(document["mixes"].size(), 2U * 2 * 2) << "precisions, calls, hints";
    for (const Json& entry : document["mixes"]) expect_consistent_mix(entry, columns);
    EXPECT_EQ(document["summary"]["mixes"]["hinted"]["count"], 4);
    EXPECT_EQ(document["summary"]["mixes"]["by_calls"].size(), 2U);
    EXPECT_FALSE(document.contains("workloads"));
  }
}

TEST_F(BenchMixes, TextFitsAPage) {
  const Ended ended =
      run({"bench", "decisions", "--quick", "--repetitions", "1", "--transposed", "--matrix",
           "uniform:1000:0.003", "--calls", "1", "--state", "csr@host"});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_NE(ended.output.find("multiply and multiply transposed"), std::string::npos);
  const std::string mixes = ended.output.substr(ended.output.find("In turn"));
  for (const std::string& line : switchyard::testing::lines_of(mixes)) {
    EXPECT_LE(display_width(line), page_width) << line;
  }
}

}  // namespace
}  // namespace switchyard::test
