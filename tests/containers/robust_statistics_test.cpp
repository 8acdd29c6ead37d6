// Medians and percentiles, of few values and many.
#include <gtest/gtest.h>

#include <array>
#include <switchyard/containers/robust_statistics.hpp>

namespace switchyard {
namespace {

TEST(RobustStatistics, TheMedianIsTheUpperMiddleValue) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({3, 1}), 3);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 3, 1, 2}), 3);
  EXPECT_EQ(median({1, 1, 1, 1e9, 1e9}), 1);
  std::array<double, 4> values{9, 8, 7, 100};
  EXPECT_EQ(median_reordering({values.data(), 3}), 8);
  EXPECT_EQ(values[3], 100);
}

TEST(RobustStatistics, AQuantileIsTheNearestRank) {
  const std::array<double, 4> values{1, 2, 3, 4};
  EXPECT_EQ(quantile_of_sorted(values, 0), 1);
  EXPECT_EQ(quantile_of_sorted(values, 0.25), 1);
  EXPECT_EQ(quantile_of_sorted(values, 0.26), 2);
  EXPECT_EQ(quantile_of_sorted(values, 0.5), 2);
  EXPECT_EQ(quantile_of_sorted(values, 0.95), 4);
  EXPECT_EQ(quantile_of_sorted(values, 1), 4);
}

}  // namespace
}  // namespace switchyard
