// The fit of one tier: how many terms it has, which it keeps, and which samples it trusts.
#include "tier_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>

#include "models/synthetic.hpp"

namespace switchyard {
namespace {

constexpr std::array quantities{Quantity::Bytes,    Quantity::Rows,   Quantity::Cols,
                                Quantity::Elements, Quantity::Uneven, Quantity::Longest,
                                Quantity::Spread};

/// One term for each quantity, and a constant.
std::vector<Term> candidates() {
  std::vector<Term> terms{Term::of({}, 0)};
  for (const Quantity quantity : quantities) terms.push_back(Term::of({quantity}, 0));
  return terms;
}

/// Samples whose quantities have nothing to do with each other, and cost `seconds(features)`.
template <class Seconds>
std::vector<Sample> samples_of(int count, std::uint64_t seed, Seconds seconds) {
  synthetic::Numbers numbers(seed);
  std::vector<Sample> samples;
  for (int i = 0; i < count; ++i) {
    Features features;
    for (const Quantity quantity : quantities) features[quantity] = numbers.logarithmic(1, 1e3);
    samples.push_back({features, seconds(features, numbers)});
  }
  return samples;
}

bool has(const Polynomial& polynomial, Quantity quantity) {
  const auto exponents = Term::of({quantity}, 0).exponents;
  return std::any_of(polynomial.terms.begin(), polynomial.terms.end(),
                     [&](const Term& term) { return term.exponents == exponents; });
}

TEST(TierFit, HasAtMostATermForTwoSamplesAndNeverMoreThanSix) {
  const auto sum = [](const Features& features, synthetic::Numbers&) {
    double seconds = 1;
    for (const Quantity quantity : quantities) seconds += features[quantity];
    return seconds;
  };
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const int count : {2, 3, 5, 6, 8, 9, 200}) {
      const TierFit fit = fit_tier(samples_of(count, seed, sum), candidates(), 2);
      EXPECT_LE(fit.polynomial.terms.size(), static_cast<std::size_t>(std::clamp(count / 2, 1, 6)))
          << count;
      EXPECT_GE(fit.polynomial.terms.size(), 1U) << count;
    }
  }
}

TEST(TierFit, KeepsATermThatLowersTheErrorThoughSamplesAreNoisy) {
  // Without the rows the error would be about twice as high.
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto noisy = samples_of(200, seed, [](const Features& f, synthetic::Numbers& numbers) {
      return (f[Quantity::Bytes] + 0.05 * f[Quantity::Rows] + 20) *
             std::exp(0.1 * numbers.normal());
    });
    const TierFit fit = fit_tier(noisy, candidates(), 5);
    EXPECT_TRUE(has(fit.polynomial, Quantity::Bytes)) << seed;
    EXPECT_TRUE(has(fit.polynomial, Quantity::Rows)) << seed;
  }
}

TEST(TierFit, NoiseThatAllSamplesShareMakesNoneOfThemASpike) {
  const auto noisy = samples_of(300, 1, [](const Features& f, synthetic::Numbers& numbers) {
    return f[Quantity::Bytes] * std::exp(0.4 * numbers.normal());
  });
  const std::vector<Term> bytes{Term::of({Quantity::Bytes}, 0)};
  const TierFit fit = fit_tier(noisy, bytes, 5);
  const auto ignored = std::count(fit.trust.begin(), fit.trust.end(), 0.0);
  EXPECT_LE(ignored, 3);
}

TEST(TierFit, SpikesAmongPreciseSamplesAreNotTrusted) {
  auto samples = samples_of(100, 2, [](const Features& f, synthetic::Numbers& numbers) {
    return f[Quantity::Bytes] * std::exp(0.02 * numbers.normal());
  });
  for (std::size_t i = 0; i < samples.size(); i += 10) samples[i].seconds *= i % 20 == 0 ? 4 : 0.2;
  const std::vector<Term> bytes{Term::of({Quantity::Bytes}, 0)};
  const TierFit fit = fit_tier(samples, bytes, 5);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i % 10 == 0) {
      EXPECT_EQ(fit.trust[i], 0) << i;
    } else {
      EXPECT_GT(fit.trust[i], 0.8) << i;
    }
  }
  ASSERT_EQ(fit.polynomial.terms.size(), 1U);
  EXPECT_NEAR(fit.polynomial.terms[0].coefficient, 1, 0.02);
}

TEST(TierFit, ErrorsCountTheSameUpAndDownAndAreCapped) {
  EXPECT_DOUBLE_EQ(capped_error(2), capped_error(0.5));
  EXPECT_DOUBLE_EQ(capped_error(1), 0);
  EXPECT_DOUBLE_EQ(capped_error(std::exp(1.5)), 1.5);
  for (const double ratio : {0.0, -1.0, 1e-9, 1e9, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(capped_error(ratio), largest_error) << ratio;
  }
}

}  // namespace
}  // namespace switchyard
