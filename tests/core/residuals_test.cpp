// Models corrected by what is measured while a program runs.
#include "residuals.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "core/fixtures.hpp"

namespace switchyard {
namespace {

const ModelKey rows_on_host =
    multiply_key({Space::host(), Format::Dense}, Precision::Float, "rows");

void learn(Residuals& residuals, std::initializer_list<double> ratios) {
  for (const double ratio : ratios) static_cast<void>(residuals.learn(rows_on_host, ratio));
}

TEST(Residuals, FewerThanThreeMatricesTellNothing) {
  Residuals residuals;
  EXPECT_FALSE(residuals.learn(rows_on_host, 2));
  EXPECT_FALSE(residuals.learn(rows_on_host, 2));
  EXPECT_EQ(residuals.factor(rows_on_host), 1);
  EXPECT_TRUE(residuals.learn(rows_on_host, 2));
  EXPECT_DOUBLE_EQ(residuals.factor(rows_on_host), 2);
}

TEST(Residuals, WhatStandsApartIsNotBelieved) {
  Residuals residuals;
  learn(residuals, {1, 1.02, 900, 0.99, 0.001, 1.01});
  EXPECT_EQ(residuals.factor(rows_on_host), 1);
  learn(residuals, {0, -1, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(residuals.factor(rows_on_host), 1);
}

TEST(Residuals, NothingIsCorrectedByMoreThanFour) {
  Residuals slow;
  learn(slow, {1000, 1000, 1000});
  EXPECT_DOUBLE_EQ(slow.factor(rows_on_host), 4);
  Residuals fast;
  learn(fast, {0.001, 0.001, 0.001});
  EXPECT_DOUBLE_EQ(fast.factor(rows_on_host), 0.25);
}

TEST(Residuals, WhatWasLongAgoIsForgotten) {
  Residuals residuals;
  learn(residuals, {2, 2, 2, 2, 2, 2, 2, 2, 2});
  EXPECT_DOUBLE_EQ(residuals.factor(rows_on_host), 2);
  learn(residuals, {0.5, 0.5, 0.5, 0.5, 0.5});
  EXPECT_DOUBLE_EQ(residuals.factor(rows_on_host), 0.5);
}

TEST(Residuals, DriftIsReportedOnceAndOnlyBeyondWhatWasPromised) {
  Residuals residuals;
  learn(residuals, {2, 2, 2, 2});
  EXPECT_FALSE(residuals.drift(rows_on_host, 0.3)) << "four matrices are not enough";
  learn(residuals, {2});
  EXPECT_FALSE(residuals.drift(rows_on_host, 1.5));
  const auto words = residuals.drift(rows_on_host, 0.3);
  ASSERT_TRUE(words);
  EXPECT_NE(words->find("dense@host [rows, float] take 2 times"), std::string::npos) << *words;
  EXPECT_NE(words->find("switchyard calibrate"), std::string::npos) << *words;
  EXPECT_FALSE(residuals.drift(rows_on_host, 0.3)) << "once";
}

TEST(Residuals, DriftIsReportedFromExactlyWhatWasPromisedOn) {
  Residuals residuals;
  learn(residuals, {2, 2, 2, 2, 2});
  EXPECT_FALSE(residuals.drift(rows_on_host, 1.01)) << "within a factor of 2.01";
  EXPECT_TRUE(residuals.drift(rows_on_host, 0.99)) << "beyond a factor of 1.99";
  Residuals faster;
  learn(faster, {0.5, 0.5, 0.5, 0.5, 0.5});
  EXPECT_FALSE(faster.drift(rows_on_host, 1.01));
  EXPECT_TRUE(faster.drift(rows_on_host, 0.99)) << "a prediction too high is as far off";
}

TEST(Residuals, TheCorrectedProfilePredictsWhatWasSeen) {
  const Profile profile({}, {testing::linear_model(rows_on_host, 1e-6, 1e-9)});
  Residuals residuals;
  learn(residuals, {3, 3, 3});
  const Profile corrected = residuals.corrected(profile);
  Features features;
  features[Quantity::Bytes] = 1e6;
  EXPECT_DOUBLE_EQ(corrected.find(rows_on_host)->predict(features).seconds,
                   3 * profile.find(rows_on_host)->predict(features).seconds);
}

}  // namespace
}  // namespace switchyard
