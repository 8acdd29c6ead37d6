// Models of formats that were measured on few matrices, beside CSR.
#include "relative_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "learn.hpp"
#include "models/synthetic.hpp"
#include "switchyard/backends/openmp.hpp"

namespace switchyard {
namespace {

using synthetic::csr_key;
using synthetic::csr_products;

const ModelKey packed =
    multiply_key({Space::host(), Format::Csr16}, csr_key().precision, "balanced");

/// A cost that no term of a model explains: every other matrix takes half as long again.
double uneven_seconds(const Features& f) {
  const auto rows = static_cast<std::int64_t>(f[Quantity::Rows]);
  return (1e-6 + f[Quantity::Bytes] / 2e10) * (rows % 2 == 0 ? 1.5 : 1);
}

/// The same matrices in a format that takes 0.7 of the time of CSR.
std::vector<Sample> faster(std::vector<Sample> samples) {
  for (Sample& sample : samples) sample.seconds *= 0.7;
  return samples;
}

TEST(RelativeModel, TellsWhatIsFasterFromAFewMatrices) {
  const std::vector<Sample> all = csr_products(80, 1, uneven_seconds);
  const CostModel csr = fit_cost_model(csr_key(), all, {}).value();
  const std::vector<Sample> few(all.begin(), all.begin() + 6);
  const std::vector<CsrProduct> products{{&csr, &all}};
  const auto model = relative_model(packed, faster(few), products);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->key, packed);
  EXPECT_EQ(model->quality.samples, 6);
  for (const Sample& fresh : csr_products(60, 2, uneven_seconds)) {
    const double of_csr = csr.predict(fresh.features).seconds;
    EXPECT_NEAR(model->predict(fresh.features).seconds, 0.7 * of_csr, 0.01 * of_csr);
  }
}

TEST(RelativeModel, TakesTheProductInCsrThatExplainsMost) {
  const std::vector<Sample> all = csr_products(80, 1, uneven_seconds);
  std::vector<Sample> other = all;
  for (std::size_t i = 0; i < other.size(); ++i) {
    other[i].seconds = 1e-5 * (1 + static_cast<double>(i % 7));
  }
  const CostModel good = fit_cost_model(csr_key(), all, {}).value();
  CostModel bad = good;
  bad.key.variant = "other";
  const std::vector<Sample> few(all.begin(), all.begin() + 12);
  const std::vector<CsrProduct> products{{&bad, &other}, {&good, &all}};
  const auto model = relative_model(packed, faster(few), products);
  const std::vector<CsrProduct> alone{{&good, &all}};
  ASSERT_TRUE(model);
  EXPECT_EQ(model->predict(all[40].features).seconds,
            relative_model(packed, faster(few), alone)->predict(all[40].features).seconds);
}

// A kernel that suits short rows only is measured on these only, and predicts them well.
TEST(RelativeModel, IsJudgedByMatricesThatCsrWasNotMeasuredOn) {
  const auto by_longest = [](const Features& f) { return 1e-5 + 1e-8 * f[Quantity::Longest]; };
  const auto constant = [](const Features&) { return 1e-5; };
  std::vector<Sample> all = csr_products(80, 1, by_longest);
  for (std::size_t i = 0; i < all.size(); ++i) {
    Features& features = all[i].features;
    features[Quantity::Longest] = i < 10 ? 4 : 4000;
    all[i].seconds = by_longest(features) * (i % 2 == 0 ? 1.2 : 1);
  }
  const std::vector<Sample> easy = csr_products(40, 1, constant);
  CostModel of_easy = fit_cost_model(csr_key(), easy, {}).value();
  of_easy.key.variant = "scalar";
  const CostModel of_all = fit_cost_model(csr_key(), all, {}).value();
  const std::vector<Sample> short_rows(all.begin(), all.begin() + 10);
  const std::vector<CsrProduct> products{{&of_easy, &short_rows}, {&of_all, &all}};
  const std::vector<Sample> some(all.begin(), all.begin() + 30);
  const auto model = relative_model(packed, some, products);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->quality.samples, 30) << "of which ten were measured in both kernels of CSR";
  for (std::size_t i = 30; i < all.size(); ++i) {
    EXPECT_LT(prediction_error(model->predict(all[i].features).seconds, all[i].seconds), 0.5);
  }
}

TEST(RelativeModel, NeedsMatricesThatWereMeasuredInBoth) {
  const std::vector<Sample> all = csr_products(40, 1, uneven_seconds);
  const CostModel csr = fit_cost_model(csr_key(), all, {}).value();
  const std::vector<CsrProduct> products{{&csr, &all}};
  EXPECT_FALSE(relative_model(packed, faster(csr_products(6, 99, uneven_seconds)), products));
  EXPECT_FALSE(relative_model(packed, {}, products));
  EXPECT_FALSE(relative_model(packed, faster(all), {}));
  std::vector<Sample> impossible(all.begin(), all.begin() + 6);
  for (Sample& sample : impossible) sample.seconds = 0;
  EXPECT_FALSE(relative_model(packed, impossible, products));
}

// Padding is worked on as nonzeros are in CSR.
TEST(RelativeModel, SlotsStandForNonzeros) {
  const auto by_nonzeros = [](const Features& f) { return 1e-6 + 1e-9 * f[Quantity::Nonzeros]; };
  const std::vector<Sample> all = csr_products(80, 1, by_nonzeros);
  const CostModel csr = fit_cost_model(csr_key(), all, {}).value();
  std::vector<Sample> padded(all.begin(), all.begin() + 10);
  for (std::size_t i = 0; i < padded.size(); ++i) {
    Features& features = padded[i].features;
    features[Quantity::Stored] = features[Quantity::Nonzeros] * static_cast<double>(1 + i % 3);
    padded[i].seconds = 1e-6 + 1e-9 * features[Quantity::Stored];
  }
  const ModelKey ell = multiply_key({Space::host(), Format::Ell}, csr_key().precision, "columns");
  const std::vector<CsrProduct> products{{&csr, &all}};
  const auto model = relative_model(ell, padded, products);
  ASSERT_TRUE(model);
  Features features = all[50].features;
  features[Quantity::Stored] = 2 * features[Quantity::Nonzeros];
  EXPECT_NEAR(model->predict(features).seconds, 1e-6 + 1e-9 * features[Quantity::Stored],
              0.2e-9 * features[Quantity::Stored] + 1e-6);
}

// The matrices that were measured in both have short rows.
TEST(RelativeModel, ALongRowTakesItsStepsWhereOneItemWalksIt) {
  const auto by_bytes = [](const Features& f) { return 1e-5 + f[Quantity::Bytes] / 1e12; };
  const std::vector<Sample> all = csr_products(80, 1, by_bytes);
  const CostModel csr = fit_cost_model(csr_key(), all, {}).value();
  const std::vector<Sample> few(all.begin(), all.begin() + 6);
  const ModelKey sell = multiply_key({Space::host(), Format::Sell8}, csr_key().precision, "slices");
  const std::vector<CsrProduct> products{{&csr, &all}};
  const auto model = relative_model(sell, few, products, 3e-7);
  ASSERT_TRUE(model);
  Features features = few[0].features;
  const double with_short_rows = model->predict(features).seconds;
  EXPECT_NEAR(with_short_rows, few[0].seconds, few[0].seconds);
  features[Quantity::Longest] += 1e4;
  EXPECT_GT(model->predict(features).seconds, with_short_rows + 0.3 * 3e-7 * 1e4);
  EXPECT_LT(relative_model(sell, few, products)->predict(features).seconds, 2 * with_short_rows);
}

TEST(RelativeModel, ACalibrationUsesItForFormatsWithFewSamples) {
  std::vector<KeyedSample> samples;
  const std::vector<Sample> all = csr_products(80, 1, uneven_seconds);
  for (const Sample& sample : all) samples.push_back({csr_key(), sample});
  for (const Sample& sample : faster({all.begin(), all.begin() + 8})) {
    samples.push_back({packed, sample});
  }
  const Learnt learnt = learn(samples, {make_host_executor()});
  ASSERT_EQ(learnt.models.size(), 2U);
  EXPECT_TRUE(learnt.unfitted.empty());
  const Profile profile({}, learnt.models);
  for (const Sample& fresh : csr_products(60, 2, uneven_seconds)) {
    const double of_csr = profile.find(csr_key())->predict(fresh.features).seconds;
    const double of_packed = profile.find(packed)->predict(fresh.features).seconds;
    EXPECT_NEAR(of_packed, 0.7 * of_csr, 0.05 * of_csr);
  }
}

}  // namespace
}  // namespace switchyard
