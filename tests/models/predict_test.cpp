// Predictions inside, outside and between the tiers of a model.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "models/synthetic.hpp"

namespace switchyard {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Features at(double bytes, double rows) {
  Features features;
  features[Quantity::Bytes] = bytes;
  features[Quantity::Rows] = rows;
  return features;
}

/// 1 + bytes + 2 rows for 10 to 100 bytes, 5 bytes for 200 to 1000; 1 to 10 rows in both.
CostModel two_tiers() {
  CostModel model;
  model.tiers.push_back(
      {150,
       {{Term::of({}, 1), Term::of({Quantity::Bytes}, 1), Term::of({Quantity::Rows}, 2)}},
       at(10, 1),
       at(100, 10),
       0});
  model.tiers.push_back(
      {infinity, {{Term::of({Quantity::Bytes}, 5)}}, at(200, 1), at(1000, 10), 0});
  model.quality.p95_error = 0.25;
  return model;
}

TEST(Predict, InsideADomainIsThePolynomial) {
  const Estimate small = two_tiers().predict(at(50, 5));
  EXPECT_DOUBLE_EQ(small.seconds, 61);
  EXPECT_FALSE(small.extrapolated);
  EXPECT_EQ(small.relative_error, 0.25);
  EXPECT_DOUBLE_EQ(two_tiers().predict(at(400, 5)).seconds, 2000);
}

TEST(Predict, TheBoundsBelongToTheDomain) {
  for (const double rows : {1.0, 10.0}) {
    for (const double bytes : {10.0, 100.0, 200.0, 1000.0}) {
      EXPECT_FALSE(two_tiers().predict(at(bytes, rows)).extrapolated) << bytes << ", " << rows;
    }
  }
  EXPECT_TRUE(two_tiers().predict(at(9.9, 5)).extrapolated);
  EXPECT_TRUE(two_tiers().predict(at(1000.1, 5)).extrapolated);
}

TEST(Predict, AboveTheDomainIsProportionalToBytes) {
  const Estimate estimate = two_tiers().predict(at(3000, 5));
  EXPECT_DOUBLE_EQ(estimate.seconds, 15000);
  EXPECT_TRUE(estimate.extrapolated);
}

// What grows with the matrix is not taken as large as measured at most and multiplied once more.
TEST(Predict, AboveTheDomainAPartOfTheRowsIsAsked) {
  CostModel model;
  model.tiers.push_back({infinity,
                         {{Term::of({Quantity::Bytes}, 1), Term::of({Quantity::Rows}, 2),
                           Term::of({Quantity::Longest}, 3)}},
                         at(10, 1),
                         at(100, 10),
                         0});
  model.tiers[0].highest[Quantity::Longest] = 7;
  Features features = at(1000, 50);
  features[Quantity::Longest] = 7;
  // A tenth of it has 100 bytes and 5 rows, and the same longest row.
  EXPECT_DOUBLE_EQ(model.predict(features).seconds, 10 * (100 + 2 * 5 + 3 * 7));
  features[Quantity::Rows] = 500;
  EXPECT_DOUBLE_EQ(model.predict(features).seconds, 10 * (100 + 2 * 10 + 3 * 7)) << "10 at most";
}

TEST(Predict, AHighPowerIsNotContinued) {
  CostModel model = two_tiers();
  model.tiers.back().polynomial.terms = {Term::of({Quantity::Bytes, Quantity::Bytes}, 1)};
  EXPECT_DOUBLE_EQ(model.predict(at(10000, 5)).seconds, 10 * 1e6);
}

TEST(Predict, BelowTheDomainIsTheNearestValue) {
  const Estimate estimate = two_tiers().predict(at(1, 1));
  EXPECT_DOUBLE_EQ(estimate.seconds, 13);
  EXPECT_TRUE(estimate.extrapolated);
}

TEST(Predict, ATierIsNeverBelowTheTierUnderIt) {
  // In cache 1 + bytes + 2 rows, beyond it only half a second for a byte, as where more threads are
  // used from some size on.
  CostModel model = two_tiers();
  model.tiers.back().polynomial.terms = {Term::of({Quantity::Bytes}, 0.5)};
  EXPECT_DOUBLE_EQ(model.predict(at(100, 10)).seconds, 121);
  EXPECT_DOUBLE_EQ(model.predict(at(150, 10)).seconds, 121);
  EXPECT_DOUBLE_EQ(model.predict(at(200, 10)).seconds, 121);
  EXPECT_DOUBLE_EQ(model.predict(at(400, 10)).seconds, 200);
}

TEST(Predict, ACornerThatNoSampleSawIsUnderTheCeiling) {
  CostModel model = two_tiers();
  model.tiers.front().ceiling_seconds = 90;
  EXPECT_DOUBLE_EQ(model.predict(at(50, 5)).seconds, 61);
  EXPECT_DOUBLE_EQ(model.predict(at(100, 10)).seconds, 90);
  model.tiers.front().floor_seconds_per_byte = 1;
  EXPECT_DOUBLE_EQ(model.predict(at(100, 10)).seconds, 100);
  // What is larger than all samples is not.
  model.tiers.back().ceiling_seconds = 10;
  EXPECT_DOUBLE_EQ(model.predict(at(400, 5)).seconds, 2000);
}

TEST(Predict, BetweenTiersTheBytesTakeTheirTimeToo) {
  CostModel model = two_tiers();
  model.tiers.front().floor_seconds_per_byte = 0.1;
  model.tiers.back().floor_seconds_per_byte = 5;
  // Above the border (150) the slower bandwidth holds, though the line is still below it.
  EXPECT_DOUBLE_EQ(model.predict(at(160, 5)).seconds, 800);
  EXPECT_DOUBLE_EQ(model.predict(at(140, 5)).seconds, 111 + 0.4 * (1000 - 111));
}

TEST(PredictionError, CountsUpAndDownAlike) {
  EXPECT_DOUBLE_EQ(prediction_error(2, 1), 1);
  EXPECT_DOUBLE_EQ(prediction_error(1, 2), 1);
  EXPECT_DOUBLE_EQ(prediction_error(1e-3, 1), 999);
  EXPECT_EQ(prediction_error(3, 3), 0);
  for (const double bad : {0.0, -1.0, nan}) {
    EXPECT_EQ(prediction_error(bad, 1), infinity);
    EXPECT_EQ(prediction_error(1, bad), infinity);
  }
}

TEST(Predict, NeverUnderTheFloor) {
  CostModel model = two_tiers();
  model.tiers.front().floor_seconds = 40;
  EXPECT_DOUBLE_EQ(model.predict(at(1, 1)).seconds, 40);
  EXPECT_DOUBLE_EQ(model.predict(at(60, 1)).seconds, 63);
}

TEST(Predict, OtherQuantitiesAreMovedToTheDomain) {
  const Estimate estimate = two_tiers().predict(at(50, 1000));
  EXPECT_DOUBLE_EQ(estimate.seconds, 71);
  EXPECT_TRUE(estimate.extrapolated);
  EXPECT_DOUBLE_EQ(two_tiers().predict(at(50, -3)).seconds, 53);
}

TEST(Predict, AQuantityThatNoTermUsesIsNoExtrapolation) {
  Features features = at(50, 5);
  features[Quantity::Longest] = 1e6;
  EXPECT_FALSE(two_tiers().predict(features).extrapolated);
  EXPECT_FALSE(two_tiers().predict(at(400, 99)).extrapolated);
}

TEST(Predict, RunsStraightBetweenTiers) {
  const CostModel model = two_tiers();
  EXPECT_DOUBLE_EQ(model.predict(at(100, 5)).seconds, 111);
  EXPECT_DOUBLE_EQ(model.predict(at(150, 5)).seconds, (111 + 1000) / 2.0);
  EXPECT_DOUBLE_EQ(model.predict(at(200, 5)).seconds, 1000);
  EXPECT_NEAR(model.predict(at(std::nextafter(150.0, 151.0), 5)).seconds, 555.5, 1e-6);
  EXPECT_FALSE(model.predict(at(150, 5)).extrapolated);
}

TEST(Predict, BetweenTiersWhatEitherHasNotSeenIsExtrapolated) {
  CostModel model = two_tiers();
  model.tiers.back().polynomial.terms.push_back(Term::of({Quantity::Rows}, 1));
  EXPECT_FALSE(model.predict(at(150, 10)).extrapolated);
  EXPECT_TRUE(model.predict(at(150, 11)).extrapolated);
  model.tiers.front().highest[Quantity::Rows] = 20;
  EXPECT_TRUE(model.predict(at(150, 11)).extrapolated);
}

TEST(Predict, UnknownIsInfinite) {
  const CostModel model = two_tiers();
  for (const double bad : {nan, infinity, -infinity}) {
    for (std::size_t q = 0; q < quantity_count; ++q) {
      Features features = at(50, 5);
      features.values[q] = bad;
      EXPECT_EQ(model.predict(features).seconds, infinity);
    }
  }
  EXPECT_EQ(CostModel{}.predict(at(50, 5)).seconds, infinity);
}

TEST(Predict, OverflowIsInfiniteNotNaN) {
  CostModel model = two_tiers();
  model.tiers.back().highest.values.fill(infinity);
  model.tiers.back().polynomial.terms = {
      Term::of({Quantity::Bytes, Quantity::Bytes, Quantity::Bytes, Quantity::Bytes}, 0)};
  EXPECT_EQ(model.predict(at(1e300, 5)).seconds, infinity);
  EXPECT_EQ(two_tiers().predict(at(1e308, 5)).seconds, infinity);
  // None of an infinite one, and all of the next.
  model = two_tiers();
  model.tiers.front().polynomial.terms = {Term::of({Quantity::Bytes}, 1e308)};
  model.tiers.back().lowest[Quantity::Bytes] = 100;
  EXPECT_EQ(model.predict(at(120, 5)).seconds, infinity);
}

TEST(Predict, WorksWhereNoBytesAreTouched) {
  CostModel model;
  model.tiers.push_back({infinity, {{Term::of({}, 0.5)}}, {}, {}, 0.5});
  EXPECT_EQ(model.predict(build_features()).seconds, 0.5);
  EXPECT_EQ(model.predict(at(10, 0)).seconds, 0.5);
}

TEST(Keys, NamesAndKeysSayWhichOperation) {
  EXPECT_EQ(name(Operation::Multiply), "multiply");
  EXPECT_EQ(name(Operation::Build), "build");
  const ModelKey convert =
      convert_key(Format::Dense, Format::Csr, Space::device(0), Precision::Double);
  EXPECT_EQ(convert.from, (State{Space::device(0), Format::Dense}));
  EXPECT_EQ(convert.to, (State{Space::device(0), Format::Csr}));
  EXPECT_NE(synthetic::link_key(), transfer_key(Space::device(0), Space::host()));
}

// Any model that a profile may hold, asked anything at all.
CostModel any_model() {
  CostModel model;
  double border = 0;
  const int tiers = *rc::gen::inRange(1, 4);
  for (int i = 0; i < tiers; ++i) {
    ModelTier tier;
    const int terms = *rc::gen::inRange(1, 4);
    for (int k = 0; k < terms; ++k) {
      Term made;
      made.coefficient = std::abs(*rc::gen::arbitrary<double>());
      for (auto& exponent : made.exponents) exponent = *rc::gen::inRange<std::uint8_t>(0, 3);
      tier.polynomial.terms.push_back(made);
    }
    for (std::size_t q = 0; q < quantity_count; ++q) {
      tier.lowest.values[q] = *rc::gen::inRange(0, 1000);
      tier.highest.values[q] = tier.lowest.values[q] + *rc::gen::inRange(0, 1000);
    }
    tier.lowest.values[0] += border;
    tier.highest.values[0] += border;
    border = tier.highest[Quantity::Bytes] + 1;
    tier.up_to_bytes = i + 1 == tiers ? infinity : border;
    tier.floor_seconds = std::abs(*rc::gen::arbitrary<double>());
    tier.floor_seconds_per_byte = std::abs(*rc::gen::arbitrary<double>());
    tier.ceiling_seconds = *rc::gen::element(infinity, tier.floor_seconds + 1, 1e3, 1e9);
    model.tiers.push_back(tier);
  }
  return model;
}

RC_GTEST_PROP(PredictProperty, IsNeverNegativeNorNaN, ()) {
  const CostModel model = any_model();
  Features features;
  for (double& value : features.values) {
    value = *rc::gen::oneOf(rc::gen::arbitrary<double>(),
                            rc::gen::element(0.0, -0.0, 1e308, -1e308, 1e-308, nan, infinity,
                                             -infinity, 100.0, 5000.0));
  }
  const Estimate estimate = model.predict(features);
  RC_ASSERT(estimate.seconds >= 0);
}

RC_GTEST_PROP(PredictProperty, MoreWorkNeverTakesLess, ()) {
  const CostModel model = any_model();
  Features less;
  Features more;
  for (std::size_t q = 0; q < quantity_count; ++q) {
    less.values[q] = *rc::gen::inRange(0, 4000);
    more.values[q] = less.values[q] + *rc::gen::inRange(0, 4000);
  }
  RC_ASSERT(model.predict(less).seconds <= model.predict(more).seconds * (1 + 1e-12));
}

RC_GTEST_PROP(PredictProperty, IsLinearInBytesFarOut, ()) {
  CostModel model = any_model();
  for (ModelTier& tier : model.tiers) {
    tier.floor_seconds = 1;
    for (Term& each : tier.polynomial.terms) each.coefficient = std::min(each.coefficient, 1e6);
    // Where no bytes were measured, nothing is to grow with them.
    if (tier.highest[Quantity::Bytes] == 0) tier.floor_seconds_per_byte = 0;
  }
  const double bytes = 1e5 + *rc::gen::inRange(0, 100000);
  // Without rows: each part of a matrix has its share of them, fewer where there are more parts.
  const double once = model.predict(at(bytes, 0)).seconds;
  const double twice = model.predict(at(2 * bytes, 0)).seconds;
  const bool proportional = model.tiers.back().highest[Quantity::Bytes] > 0;
  RC_ASSERT(std::abs(twice - (proportional ? 2 : 1) * once) <= 1e-9 * twice);
}

}  // namespace
}  // namespace switchyard
