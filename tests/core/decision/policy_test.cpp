// The rule for an unknown number of products, against every schedule there is.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <switchyard/core/replay.hpp>

#include "core/decision/yards.hpp"
#include "sampling.hpp"

namespace switchyard {
namespace {

using testing::complete_yard;
using testing::nth_state;
using testing::random_yard;
using testing::varied;

std::vector<double> hindsight_of(const Yard& yard, Index most_calls) {
  std::vector<double> best(static_cast<std::size_t>(most_calls) + 1);
  for (Index calls = 1; calls <= most_calls; ++calls) {
    best[static_cast<std::size_t>(calls)] = best_in_hindsight(yard, calls);
  }
  return best;
}

/// The largest total over the best in hindsight, over all numbers of calls up to that many.
double worst_ratio(const Yard& yard, Index most_calls = 600) {
  const auto best = hindsight_of(yard, most_calls);
  testing::Rule rule(yard);
  double worst = 0;
  for (Index calls = 1; calls <= most_calls; ++calls) {
    worst = std::max(worst, rule.total_after_next() / best[static_cast<std::size_t>(calls)]);
  }
  return worst;
}

TEST(Policy, TwoStatesNeverCostMoreThanTwiceHindsight) {
  std::mt19937_64 engine(1);
  for (int k = 0; k < 2000; ++k) EXPECT_LE(worst_ratio(random_yard(2, engine)), 2 + 1e-9);
}

TEST(Policy, FirstProductGoesWhereOneProductIsBestOrNearIt) {
  std::mt19937_64 engine(2);
  for (int k = 0; k < 500; ++k) {
    const Yard yard = random_yard(4, engine);
    testing::Rule rule(yard);
    EXPECT_LE(rule.total_after_next(), 2 * best_in_hindsight(yard, 1) + 1e-9);
  }
}

// An adversary who changes whatever makes it worse. Against two states nothing helps him; against
// more no rule is safe at 2.5, and ours does as well as the best schedule found by trying all.
TEST(Policy, NoAdversaryForcesMoreThanTheBestScheduleMust) {
  std::mt19937_64 engine(3);
  for (const int states : {2, 3, 4, 6}) {
    constexpr Index calls = 4000;
    Yard yard = random_yard(states, engine);
    double worst = worst_ratio(yard, calls);
    testing::Sample sample;
    for (int k = 0; k < 200; ++k) {
      if (!sample.next()) continue;
      const Yard other = varied(yard, engine);
      const double ratio = worst_ratio(other, calls);
      if (ratio < worst) continue;
      worst = ratio;
      yard = other;
    }
    const double possible = testing::least_ratio_of_any_schedule(yard, hindsight_of(yard, calls));
    EXPECT_LE(worst, std::max(2.0, possible * 1.02)) << states << " states";
  }
}

// Four states of which each is reached from the first only. Every schedule is tried, so that what
// is shown is a property of the problem: docs/decisions/0012.
TEST(Policy, FourStatesCanForceAnyRuleAboveTwoAndAHalf) {
  const Yard yard = complete_yard({1.7981, 0.3306, 0.0216, 0.0}, {0, 13.0, 30.8, 46.2});
  constexpr Index calls = 20000;
  const double possible = testing::least_ratio_of_any_schedule(yard, hindsight_of(yard, calls));
  EXPECT_GT(possible, 2.5);
  EXPECT_LE(worst_ratio(yard, calls), possible * 1.02);
}

TEST(Policy, RandomYardsOfUpToEightStatesStayBelowTwoAndAHalf) {
  std::mt19937_64 engine(4);
  for (int k = 0; k < 600; ++k) {
    const int states = 3 + k % 6;
    EXPECT_LE(worst_ratio(random_yard(states, engine)), 2.5) << states << " states";
  }
}

TEST(Policy, OfManyStatesAFewAreEnough) {
  std::mt19937_64 engine(6);
  for (const int states : {10, 12, 14, 20, 20, 40, 60, 60}) {
    EXPECT_LE(worst_ratio(random_yard(states, engine)), 2.5) << states << " states";
  }
}

/// States of ever lower cost and ever longer ways from the first, each by that factor and all of
/// them the best for some number of calls: as many turns as there can be.
Yard staircase(int states, double cost_factor, double way_factor) {
  std::vector<double> costs;
  std::vector<double> ways;
  for (int k = 0; k < states; ++k) {
    costs.push_back(std::pow(cost_factor, -k));
    ways.push_back(k == 0 ? 0 : std::pow(way_factor, k));
  }
  return complete_yard(costs, ways);
}

// What docs/decisions/0012 promises for more states than schedules are tried of.
TEST(Policy, TheBoundThatIsToldIsKeptWithManyStates) {
  constexpr Index calls = 2000;
  for (const int states : {9, 20, 60}) {
    for (const auto& [cost_factor, way_factor] :
         {std::pair(1.1, 1.15), std::pair(1.3, 1.4), std::pair(2.0, 2.0), std::pair(1.02, 1.3)}) {
      const Yard yard = staircase(states, cost_factor, way_factor);
      const Choice first =
          choose_for_unknown_calls(yard, {.origin = yard.valid, .at = yard.valid.front()});
      EXPECT_LE(first.bound, 3) << states;
      // Each plan is made from other candidates, so that a later one may promise a little less.
      EXPECT_LE(worst_ratio(yard, calls), first.bound * (states > 16 ? 1.01 : 1 + 1e-9))
          << states << " states, " << cost_factor;
    }
  }
}

// The adversary of fewer states, against as many as schedules are not tried of.
TEST(Policy, NoAdversaryWithSixtyStatesForcesMoreThanThree) {
  std::mt19937_64 engine(8);
  constexpr Index calls = 400;
  Yard yard = staircase(60, 1.2, 1.25);
  double worst = worst_ratio(yard, calls);
  for (int k = 0; k < 60; ++k) {
    const Yard other = varied(varied(varied(yard, engine), engine), engine);
    const double ratio = worst_ratio(other, calls);
    if (ratio < worst) continue;
    worst = ratio;
    yard = other;
  }
  EXPECT_LE(worst, 3);
}

TEST(Policy, TheLargestNumberOfCallsOverflowsNothing) {
  constexpr Index most = std::numeric_limits<Index>::max();
  const Yard yard = complete_yard({1, 0.1}, {0, 10});
  const Choice choice =
      choose_for_unknown_calls(yard, {.origin = yard.valid,
                                      .at = yard.valid.front(),
                                      .calls = most,
                                      .spent_seconds = static_cast<double>(most)});
  EXPECT_EQ(choice.target, nth_state(1)) << "where each further call costs the least";
}

TEST(Policy, StaysWhereNothingIsCheaper) {
  const Yard yard = complete_yard({1.0, 2.0}, {0, 0.1});
  const Choice choice = choose_for_unknown_calls(yard, {.origin = yard.valid, .at = {}});
  EXPECT_EQ(choice.target, yard.valid.front());
  EXPECT_FALSE(choice.until_calls);
}

TEST(Policy, SaysWhenItWillMove) {
  // Renting at 1 against buying at 10: nine are rented, the tenth is bought for.
  Yard yard = complete_yard({1.0, 0.0}, {0, 10.0});
  Choice choice = choose_for_unknown_calls(yard, {.origin = yard.valid, .at = {}});
  EXPECT_EQ(choice.target, yard.valid.front());
  ASSERT_TRUE(choice.until_calls);
  const Index until = *choice.until_calls;
  choice = choose_for_unknown_calls(yard, {.origin = yard.valid,
                                           .at = yard.valid.front(),
                                           .calls = until,
                                           .spent_seconds = static_cast<double>(until)});
  EXPECT_NE(choice.target, yard.valid.front());
}

TEST(Policy, WithoutAnyReachableNodeThereIsNoChoice) {
  Yard yard = complete_yard({1.0, 0.0}, {0, 10.0});
  yard.nodes.clear();
  EXPECT_THROW(static_cast<void>(choose_for_unknown_calls(yard, {.origin = yard.valid, .at = {}})),
               Error);
}

}  // namespace
}  // namespace switchyard
