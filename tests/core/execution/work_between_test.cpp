// The work between calls: its mean, and what is planned with.
#include "execution/work_between.hpp"

#include <gtest/gtest.h>

namespace switchyard {
namespace {

TEST(MeanWork, OfNothingIsNothing) {
  EXPECT_EQ(MeanWork().mean(), VectorWork{});
  EXPECT_FALSE(MeanWork().departs_from({100, 100, 100}));
}

TEST(MeanWork, TurnsOfTwoKindsCountByTheirMean) {
  MeanWork work;
  for (int i = 0; i < 4; ++i) work.add(i % 2 == 0 ? VectorWork{2, 1, 100} : VectorWork{6, 3, 300});
  EXPECT_EQ(work.mean(), (VectorWork{4, 2, 200}));
  EXPECT_TRUE(work.departs_from({}));
  EXPECT_FALSE(work.departs_from({4, 2, 200}));
}

// As many sums as products so far, as in GMRES: a few looks, not one at each product.
TEST(MeanWork, WorkThatGrowsIsLookedAtLessAndLessOften) {
  MeanWork work;
  VectorWork planned;
  int looks = 0;
  for (Index i = 1; i <= 30; ++i) {
    work.add({2 * i, i, 1000 * i});
    if (!work.departs_from(planned)) continue;
    planned = work.mean();
    work = {};
    ++looks;
  }
  EXPECT_GE(planned.sums, 10);
  EXPECT_LE(looks, 5);
}

TEST(WorkBetween, WhatIsTheSameTwiceIsPlannedWith) {
  WorkBetween between;
  const VectorWork steady{3, 1, 300};
  EXPECT_EQ(between.before_first_call({9, 9, 9}), VectorWork{}) << "that follows no call";
  EXPECT_EQ(between.before_call(steady), VectorWork{}) << "seen once";
  EXPECT_EQ(between.before_call(steady), steady);
  EXPECT_EQ(between.before_call({4, 1, 400}), steady) << "one that is a little different";
  EXPECT_EQ(between.before_call(steady), steady);
}

TEST(WorkBetween, WhatIsNeverTheSameTwiceIsPlannedWithByItsMean) {
  WorkBetween between;
  between.before_call({2, 1, 100});
  EXPECT_EQ(between.before_call({6, 3, 300}), (VectorWork{4, 2, 200}));
  EXPECT_EQ(between.before_call({2, 1, 100}), (VectorWork{4, 2, 200}));
  EXPECT_EQ(between.before_call({6, 3, 300}), (VectorWork{4, 2, 200})) << "no new plan";
}

}  // namespace
}  // namespace switchyard
