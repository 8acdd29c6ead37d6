// Fits recover what made the samples: without noise, with noise, with spikes, over tiers.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "models/synthetic.hpp"

namespace switchyard {
namespace {

using synthetic::coefficient;
using synthetic::csr_key;
using synthetic::csr_products;
using synthetic::link_key;
using synthetic::Numbers;
using synthetic::transfers;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double product_seconds(const Features& f) {
  return 1e-6 + f[Quantity::Bytes] / 2e10 + 2e-9 * f[Quantity::Rows] +
         5e-10 * f[Quantity::Gathered];
}

void expect_near(double got, double expected, double relative) {
  EXPECT_NEAR(got, expected, relative * expected);
}

/// Whether predictions at fresh points keep within `relative` of the truth.
template <class Seconds>
void expect_predicts(const CostModel& model, Seconds seconds, double relative) {
  for (const Sample& fresh : csr_products(300, 999, seconds)) {
    const Estimate estimate = model.predict(fresh.features);
    if (!estimate.extrapolated) expect_near(estimate.seconds, fresh.seconds, relative);
  }
}

TEST(Fit, RecoversALinkExactly) {
  const auto model = fit_cost_model(link_key(), transfers(30, 8e-6, 5e10), {});
  ASSERT_TRUE(model);
  ASSERT_EQ(model->tiers.size(), 1U);
  expect_near(coefficient(model->tiers[0].polynomial, {}), 8e-6, 1e-6);
  expect_near(coefficient(model->tiers[0].polynomial, {Quantity::Bytes}), 2e-11, 1e-6);
  EXPECT_EQ(model->key, link_key());
  EXPECT_EQ(model->quality.samples, 30);
  EXPECT_GT(model->quality.r_squared, 1 - 1e-9);
  EXPECT_LT(model->quality.p95_error, 1e-6);
  EXPECT_EQ(model->tiers[0].lowest[Quantity::Bytes], 1e3);
  EXPECT_NEAR(model->tiers[0].highest[Quantity::Bytes], 1e9, 1);
}

TEST(Fit, RecoversAProductOfManyTerms) {
  const auto model = fit_cost_model(csr_key(), csr_products(100, 1, product_seconds), {});
  ASSERT_TRUE(model);
  const Polynomial& polynomial = model->tiers.at(0).polynomial;
  expect_near(coefficient(polynomial, {}), 1e-6, 1e-3);
  expect_near(coefficient(polynomial, {Quantity::Bytes}), 5e-11, 1e-3);
  expect_near(coefficient(polynomial, {Quantity::Rows}), 2e-9, 1e-3);
  expect_near(coefficient(polynomial, {Quantity::Gathered}), 5e-10, 1e-3);
  EXPECT_LE(polynomial.terms.size(), 5U);
}

TEST(Fit, FindsTermsOfSecondDegree) {
  const auto seconds = [](const Features& f) {
    return 2e-6 + 1e-12 * f[Quantity::Rows] * f[Quantity::Longest];
  };
  const auto model = fit_cost_model(csr_key(), csr_products(80, 3, seconds), {});
  ASSERT_TRUE(model);
  expect_near(coefficient(model->tiers.at(0).polynomial, {Quantity::Rows, Quantity::Longest}),
              1e-12, 1e-3);
}

TEST(Fit, CoefficientsAreNeverNegative) {
  const auto seconds = [](const Features& f) { return 1e-3 / (1 + f[Quantity::Rows]) + 1e-6; };
  const auto model = fit_cost_model(csr_key(), csr_products(60, 4, seconds), {});
  if (!model) return;
  for (const ModelTier& tier : model->tiers) {
    for (const Term& term : tier.polynomial.terms) EXPECT_GT(term.coefficient, 0);
  }
}

TEST(Fit, NoiseMovesCoefficientsLittle) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Numbers numbers(seed);
    auto samples = transfers(60, 8e-6, 5e10);
    for (Sample& sample : samples) sample.seconds *= std::exp(0.1 * numbers.normal());
    const auto model = fit_cost_model(link_key(), samples, {});
    ASSERT_TRUE(model);
    expect_near(coefficient(model->tiers[0].polynomial, {}), 8e-6, 0.1);
    expect_near(coefficient(model->tiers[0].polynomial, {Quantity::Bytes}), 2e-11, 0.1);
    EXPECT_GT(model->quality.median_error, 0.03);
    EXPECT_LT(model->quality.median_error, 0.12);
    EXPECT_LT(model->quality.p95_error, 0.35);
  }
}

TEST(Fit, NoisyProductsPredictWell) {
  Numbers numbers(5);
  auto samples = csr_products(100, 6, product_seconds);
  for (Sample& sample : samples) sample.seconds *= std::exp(0.05 * numbers.normal());
  const auto model = fit_cost_model(csr_key(), samples, {});
  ASSERT_TRUE(model);
  expect_predicts(*model, product_seconds, 0.2);
  EXPECT_LT(model->quality.median_error, 0.08);
}

/// What a clock that misbehaves makes of one measurement in `every`.
struct Fault {
  const char* what;
  double (*spoil)(double seconds, int which);
};

constexpr Fault faults[] = {
    {"spikes of 100", [](double s, int) { return 100 * s; }},
    {"hundredths", [](double s, int) { return s / 100; }},
    {"both", [](double s, int i) { return i % 2 ? 100 * s : s / 100; }},
    {"factors of 2 to 1000", [](double s, int i) { return s * std::pow(2, 1 + i % 10); }},
    {"zero", [](double, int) { return 0.0; }},
    {"negative", [](double s, int) { return -s; }},
    {"NaN", [](double, int) { return nan; }},
    {"infinite", [](double, int) { return infinity; }},
    {"denormal", [](double, int) { return 5e-324; }},
    {"one constant", [](double, int) { return 1e-3; }},
};

std::vector<Sample> spoiled(std::vector<Sample> samples, const Fault& fault, std::size_t every,
                            std::size_t first) {
  int which = 0;
  for (std::size_t i = first; i < samples.size(); i += every) {
    samples[i].seconds = fault.spoil(samples[i].seconds, which++);
  }
  return samples;
}

TEST(Fit, SpoiledLinksAreRecoveredWithinATenth) {
  for (const Fault& fault : faults) {
    for (const std::size_t every : {5U, 8U, 20U}) {
      for (std::size_t first = 0; first < every; ++first) {
        SCOPED_TRACE(::testing::Message() << fault.what << " every " << every << " from " << first);
        const auto samples = spoiled(transfers(40, 8e-6, 5e10), fault, every, first);
        const auto model = fit_cost_model(link_key(), samples, {});
        ASSERT_TRUE(model);
        expect_near(coefficient(model->tiers[0].polynomial, {}), 8e-6, 0.1);
        expect_near(coefficient(model->tiers[0].polynomial, {Quantity::Bytes}), 2e-11, 0.1);
      }
    }
  }
}

TEST(Fit, SpoiledProductsStillPredict) {
  for (const Fault& fault : faults) {
    for (const std::size_t first : {0U, 3U, 7U}) {
      SCOPED_TRACE(::testing::Message() << fault.what << " from " << first);
      const auto samples = spoiled(csr_products(100, 8, product_seconds), fault, 10, first);
      const auto model = fit_cost_model(csr_key(), samples, {});
      ASSERT_TRUE(model);
      expect_predicts(*model, product_seconds, 0.1);
    }
  }
}

TEST(Fit, HalfSpoiledIsRecoveredOrNothing) {
  for (const Fault& fault : faults) {
    const auto samples = spoiled(transfers(40, 8e-6, 5e10), fault, 2, 0);
    const auto model = fit_cost_model(link_key(), samples, {});
    if (!model) continue;
    SCOPED_TRACE(fault.what);
    for (const Sample& sample : transfers(40, 8e-6, 5e10)) {
      expect_near(model->predict(sample.features).seconds, sample.seconds, 0.1);
    }
  }
}

TEST(Fit, TooFewUsableSamplesGiveNothing) {
  EXPECT_FALSE(fit_cost_model(link_key(), {}, {}));
  EXPECT_FALSE(fit_cost_model(link_key(), transfers(3, 1e-6, 1e10), {}));
  EXPECT_TRUE(fit_cost_model(link_key(), transfers(4, 1e-6, 1e10), {}));
  auto samples = transfers(6, 1e-6, 1e10);
  samples[0].seconds = 0;
  samples[1].seconds = nan;
  samples[2].features[Quantity::Bytes] = -1;
  EXPECT_FALSE(fit_cost_model(link_key(), samples, {}));
  samples[0].features[Quantity::Bytes] = infinity;
  samples[1].features[Quantity::Bytes] = 1e300;
  EXPECT_FALSE(fit_cost_model(link_key(), samples, {}));
}

TEST(Fit, SamplesWithoutSenseGiveNothing) {
  Numbers numbers(9);
  auto samples = transfers(40, 1e-6, 1e10);
  for (Sample& sample : samples) sample.seconds = numbers.logarithmic(1e-9, 1);
  EXPECT_FALSE(fit_cost_model(link_key(), samples, {}));
}

// Half of the samples take a second. Of the others as many are faster as are slower, which no busy
// machine explains.
TEST(Fit, MostSamplesHaveToBeWithinAFactorOfTwo) {
  const auto model_of = [](double factor) {
    std::vector<Sample> samples(20, Sample{build_features(), 1.0});
    for (std::size_t i = 0; i < samples.size(); i += 4) {
      samples[i].seconds = factor;
      samples[i + 1].seconds = 1 / factor;
    }
    return fit_cost_model(build_key(Space::device(0), Precision::Float, "csr"), samples, {});
  };
  EXPECT_TRUE(model_of(1.9));
  EXPECT_FALSE(model_of(2.5));
}

TEST(Fit, ABusyMachineLosesNoModel) {
  // The first half was measured undisturbed; other work slowed down the second by 2.5 to 6.
  Numbers numbers(21);
  auto samples = csr_products(80, 22, product_seconds);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double noise = std::exp(0.03 * numbers.normal());
    samples[i].seconds *= noise * (i % 2 ? numbers.uniform(2.5, 6) : 1);
  }
  const auto model = fit_cost_model(csr_key(), samples, {});
  ASSERT_TRUE(model);
  expect_predicts(*model, product_seconds, 0.25);
  // The quality tells of what disturbed.
  EXPECT_EQ(model->quality.samples, 80);
  EXPECT_EQ(model->samples.size(), 80U);
  EXPECT_GT(model->quality.p95_error, 2);
  // Faster than all others by those factors is nothing that other work explains.
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].seconds = product_seconds(samples[i].features) / (i % 10 < 3 ? 40 : 1) *
                         (i % 10 < 6 && i % 10 >= 3 ? 40 : 1);
  }
  if (const auto other = fit_cost_model(csr_key(), samples, {})) {
    expect_predicts(*other, product_seconds, 0.25);
  }
}

TEST(Fit, ATooLowPredictionIsAsWrongAsATooHighOne) {
  // One in ten takes a thousand times as long, which no term explains.
  auto samples = transfers(60, 8e-6, 5e10);
  for (std::size_t i = 0; i < samples.size(); i += 10) samples[i].seconds *= 1000;
  const auto model = fit_cost_model(link_key(), samples, {});
  ASSERT_TRUE(model);
  EXPECT_LT(model->quality.median_error, 0.01);
  EXPECT_GT(model->quality.p95_error, 100);
  EXPECT_LT(model->quality.r_squared, 0.5) << "most of the variance";
}

TEST(Fit, CountsUsableSamples) {
  auto samples = transfers(6, 1e-6, 1e10);
  EXPECT_EQ(usable_samples(samples), 6);
  samples[0].seconds = 0;
  samples[1].seconds = nan;
  samples[2].features[Quantity::Bytes] = -1;
  EXPECT_EQ(usable_samples(samples), 3);
  EXPECT_EQ(usable_samples({}), 0);
}

TEST(Fit, ABuildIsAConstant) {
  const std::vector<Sample> samples(5, Sample{build_features(), 0.25});
  const auto model =
      fit_cost_model(build_key(Space::device(0), Precision::Float, "csr"), samples, {});
  ASSERT_TRUE(model);
  expect_near(model->predict(build_features()).seconds, 0.25, 1e-9);
  EXPECT_EQ(model->quality.r_squared, 1);
}

TEST(Fit, FindsTheCacheTier) {
  const auto seconds = [](const Features& f) {
    const double bytes = f[Quantity::Bytes];
    return 1e-6 + bytes / (bytes <= 4e6 ? 2e11 : 2e10);
  };
  FitOptions options;
  options.tier_bytes = {32e3, 4e6, 64e6};
  const auto model = fit_cost_model(csr_key(), csr_products(120, 10, seconds), options);
  ASSERT_TRUE(model);
  ASSERT_EQ(model->tiers.size(), 2U);
  EXPECT_EQ(model->tiers[0].up_to_bytes, 4e6);
  EXPECT_EQ(model->tiers[1].up_to_bytes, infinity);
  EXPECT_LE(model->tiers[0].highest[Quantity::Bytes], 4e6);
  EXPECT_GT(model->tiers[1].lowest[Quantity::Bytes], 4e6);
  for (const Sample& sample : model->samples) {
    expect_near(model->predict(sample.features).seconds, sample.seconds, 0.01);
  }
}

TEST(Fit, FindsThreeTiersUnderNoise) {
  const auto seconds = [](const Features& f) {
    const double bytes = f[Quantity::Bytes];
    return 1e-7 + bytes / (bytes <= 1e6 ? 4e11 : bytes <= 3e7 ? 1e11 : 2e10);
  };
  auto samples = csr_products(200, 11, seconds);
  Numbers numbers(12);
  for (Sample& sample : samples) sample.seconds *= std::exp(0.05 * numbers.normal());
  FitOptions options;
  options.tier_bytes = {1e6, 3e7};
  const auto model = fit_cost_model(csr_key(), samples, options);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->tiers.size(), 3U);
  EXPECT_LT(model->quality.median_error, 0.08);
}

TEST(Fit, DoesNotSplitWhatIsOne) {
  FitOptions options;
  options.tier_bytes = {1e4, 1e5, 1e6, 1e7, nan, infinity, -1, 0};
  auto samples = transfers(60, 8e-6, 5e10);
  Numbers numbers(13);
  for (Sample& sample : samples) sample.seconds *= std::exp(0.05 * numbers.normal());
  const auto model = fit_cost_model(link_key(), samples, options);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->tiers.size(), 1U);
}

TEST(Fit, AnyNumberOfFoldsWorks) {
  for (const int folds : {-1, 0, 1, 2, 5, 1000, std::numeric_limits<int>::max()}) {
    FitOptions options;
    options.folds = folds;
    EXPECT_TRUE(fit_cost_model(link_key(), transfers(30, 8e-6, 5e10), options)) << folds;
  }
}

TEST(Fit, HeldOutErrorTellsOfWhatTheModelCannotSee) {
  const auto samples = csr_products(100, 14, [](const Features& f) {
    const double bytes = f[Quantity::Bytes];
    return bytes / 1e10 * (1 + 0.5 * std::sin(37 * std::log(bytes)));
  });
  const auto model = fit_cost_model(csr_key(), samples, {});
  ASSERT_TRUE(model);
  EXPECT_GT(model->quality.median_error, 0.1);
  EXPECT_GT(model->quality.p95_error, 0.3);
}

TEST(Fit, NoSampleIsJudgedByAFitThatHasSeenIt) {
  // What one of ten has and no other can be learned from it alone.
  std::vector<Sample> samples;
  for (int i = 0; i < 10; ++i) {
    Features features;
    features[Quantity::Bytes] = 1e6 * (i + 1);
    features[Quantity::Uneven] = i == 4 ? 100 : 0;
    samples.push_back({features, 1e-10 * features[Quantity::Bytes] * (i == 4 ? 10 : 1)});
  }
  const auto model = fit_cost_model(csr_key(), samples, {});
  ASSERT_TRUE(model);
  EXPECT_NEAR(model->quality.p95_error, 9, 1);  // ten times too low
}

RC_GTEST_PROP(FitProperty, TheOrderOfSamplesDoesNotMatter, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto samples = csr_products(30, seed, product_seconds);
  auto reversed = samples;
  std::reverse(reversed.begin(), reversed.end());
  const auto one = fit_cost_model(csr_key(), samples, {});
  const auto other = fit_cost_model(csr_key(), reversed, {});
  RC_ASSERT(one.has_value() && other.has_value());
  RC_ASSERT(one->quality.p95_error == other->quality.p95_error);
  for (const Sample& sample : samples) {
    RC_ASSERT(one->predict(sample.features).seconds == other->predict(sample.features).seconds);
  }
}

RC_GTEST_PROP(FitProperty, RubbishNeverHurts, ()) {
  std::vector<Sample> samples(*rc::gen::inRange<std::size_t>(0, 40));
  for (Sample& sample : samples) {
    sample.seconds = *rc::gen::oneOf(rc::gen::arbitrary<double>(),
                                     rc::gen::element(0.0, nan, infinity, 1e-300, 1e300, 1e-6));
    for (double& value : sample.features.values) {
      value = *rc::gen::oneOf(rc::gen::arbitrary<double>(),
                              rc::gen::element(0.0, 1.0, 1e18, 1e-300, nan, infinity, 1000.0));
    }
  }
  FitOptions options;
  options.tier_bytes = {1, 1000};
  const auto model = fit_cost_model(csr_key(), samples, options);
  if (!model) return;
  for (const Sample& sample : samples) RC_ASSERT(model->predict(sample.features).seconds >= 0);
  const Profile profile({}, {*model});
  RC_ASSERT(profile_from_json(profile_to_json(profile), "here").models().size() == 1U);
}

RC_GTEST_PROP(FitProperty, AnyLinkIsRecovered, ()) {
  const double latency = std::pow(10.0, -*rc::gen::inRange(4, 8));
  const double bandwidth = std::pow(10.0, *rc::gen::inRange(9, 13));
  const auto model = fit_cost_model(link_key(), transfers(40, latency, bandwidth), {});
  RC_ASSERT(model.has_value());
  for (const Sample& sample : transfers(77, latency, bandwidth)) {
    const double predicted = model->predict(sample.features).seconds;
    RC_ASSERT(std::abs(predicted - sample.seconds) <= 0.01 * sample.seconds);
  }
}

}  // namespace
}  // namespace switchyard
