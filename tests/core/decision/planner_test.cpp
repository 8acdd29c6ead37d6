// The planner against brute force on random yards, and its rules for ties and turning points.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <switchyard/core/planner.hpp>

#include "core/decision/any_yard.hpp"
#include "states.hpp"

namespace switchyard {
namespace {

using testing::csr_device;
using testing::csr_host;
using testing::dense_device;
using testing::dense_host;

using testing::any_yard;

/// The cheapest total over all routes.
double brute_force(const Yard& yard) {
  const auto way = testing::cheapest_ways(yard, {yard.valid.begin(), yard.valid.end()});
  double best = std::numeric_limits<double>::infinity();
  for (const YardNode& node : yard.nodes) {
    const auto there = way.find(node.state);
    if (there != way.end()) best = std::min(best, there->second + node.seconds(yard.horizon));
  }
  return best;
}

Yard thesis_yard(Index horizon) {
  Yard yard;
  yard.horizon = horizon;
  yard.valid = {dense_host};
  yard.nodes = {{.state = dense_host, .multiply_seconds = 10},
                {.state = csr_host, .multiply_seconds = 6},
                {.state = dense_device, .multiply_seconds = 2},
                {.state = csr_device, .multiply_seconds = 1}};
  yard.edges = {{dense_host, csr_host, StepKind::Convert, 12},
                {dense_host, dense_device, StepKind::Transfer, 30},
                {csr_host, csr_device, StepKind::Transfer, 8},
                {dense_device, csr_device, StepKind::Convert, 100}};
  return yard;
}

RC_GTEST_PROP(Planner, FindsTheShortestPath, ()) {
  const Yard yard = *any_yard();
  const double best = brute_force(yard);
  if (best == std::numeric_limits<double>::infinity()) {
    RC_ASSERT_THROWS_AS(static_cast<void>(shortest_plan(yard)), Error);
    return;
  }
  const Plan plan = shortest_plan(yard);
  RC_ASSERT(std::abs(plan.predicted_seconds - best) <= 1e-15 * (1 + best));
}

RC_GTEST_PROP(Planner, StepsFollowTheEdgesFromAValidState, ()) {
  const Yard yard = *any_yard();
  RC_PRE(brute_force(yard) < std::numeric_limits<double>::infinity());
  const Plan plan = shortest_plan(yard);
  State at = plan.steps.front().from;
  RC_ASSERT(std::ranges::find(yard.valid, at) != yard.valid.end());
  double sum = 0;
  for (const Step& step : plan.steps) {
    RC_ASSERT(step.from == at);
    at = step.to;
    sum += step.predicted_seconds;
  }
  RC_ASSERT(plan.steps.back().kind == StepKind::Multiply);
  RC_ASSERT(sum == plan.predicted_seconds);
}

RC_GTEST_PROP(Planner, TurningPointsAreWhereTheChoiceTurns, ()) {
  Yard yard = *any_yard();
  RC_PRE(brute_force(yard) < std::numeric_limits<double>::infinity());
  const Plan plan = shortest_plan(yard);
  const auto cost_of_staying = [&](Index calls) {
    // What the chosen route costs for another number of calls.
    const auto node = std::ranges::find(yard.nodes, plan.target(), &YardNode::state);
    double way = 0;
    for (const Step& step : plan.steps) {
      if (step.kind != StepKind::Multiply) way += step.predicted_seconds;
    }
    return way + node->seconds(calls);
  };
  const auto best_at = [&](Index calls) {
    Yard other = yard;
    other.horizon = calls;
    return brute_force(other);
  };
  const auto is_best_at = [&](Index calls) {
    const double best = best_at(calls);
    return cost_of_staying(calls) <= best + 1e-12 * (1 + best);
  };
  if (plan.changes_from) {
    RC_ASSERT(*plan.changes_from > yard.horizon);
    RC_ASSERT(is_best_at(*plan.changes_from - 1));
    // One call further, so that a difference of one rounding does not count as a tie.
    RC_ASSERT(!is_best_at(*plan.changes_from + 1));
  } else {
    RC_ASSERT(is_best_at(1'000'000));
  }
  const Index lowest = plan.changes_below.value_or(1);
  RC_ASSERT(lowest <= yard.horizon);
  RC_ASSERT(is_best_at(lowest));
  if (lowest > 2) RC_ASSERT(!is_best_at(lowest - 2));
}

TEST(Planner, HorizonDecidesHowFarToGo) {
  EXPECT_EQ(shortest_plan(thesis_yard(1)).target(), dense_host);
  EXPECT_EQ(shortest_plan(thesis_yard(4)).target(), csr_device);
  EXPECT_EQ(shortest_plan(thesis_yard(1000)).target(), csr_device);
  const Plan plan = shortest_plan(thesis_yard(4));
  ASSERT_EQ(plan.steps.size(), 3U);
  EXPECT_EQ(plan.steps[0].to, csr_host);
  EXPECT_EQ(plan.steps[1].kind, StepKind::Transfer);
  EXPECT_DOUBLE_EQ(plan.predicted_seconds, 24);
  EXPECT_EQ(plan.changes_below, 3);
  ASSERT_EQ(plan.alternatives.size(), 3U);
  EXPECT_EQ(plan.alternatives.front().state, csr_host);
}

TEST(Planner, TiesStayWhereTheMatrixIs) {
  Yard yard;
  yard.valid = {csr_host};
  yard.nodes = {{.state = dense_host, .multiply_seconds = 1},
                {.state = csr_host, .multiply_seconds = 1}};
  yard.edges = {{csr_host, dense_host, StepKind::Convert, 0}};
  EXPECT_EQ(shortest_plan(yard).target(), csr_host);
}

TEST(Planner, RoundingIsNoTurningPoint) {
  // One and five microseconds are a little less than six.
  ASSERT_LT(1e-6 + 5 * 1e-6, 6e-6);
  Yard yard;
  yard.horizon = 1;
  yard.valid = {dense_host};
  yard.nodes = {{.state = dense_host, .multiply_seconds = 6e-6, .once_seconds = 1e-6 + 5 * 1e-6},
                {.state = csr_host,
                 .multiply_seconds = 1e-6,
                 .vector_seconds = 5 * 1e-6,
                 .once_seconds = 6e-6}};
  yard.edges = {{dense_host, csr_host, StepKind::Convert, 0}};
  const Plan plan = shortest_plan(yard);
  EXPECT_EQ(plan.target(), dense_host);
  EXPECT_FALSE(plan.changes_from) << *plan.changes_from;
  EXPECT_FALSE(plan.changes_below) << *plan.changes_below;
}

TEST(Planner, WhatNobodyLivesToSeeIsNoTurningPoint) {
  Yard yard;
  yard.horizon = 1;
  yard.valid = {dense_host};
  yard.nodes = {{.state = dense_host, .multiply_seconds = 1},
                {.state = csr_host, .multiply_seconds = 1 - 1e-11}};
  yard.edges = {{dense_host, csr_host, StepKind::Convert, 1}};
  EXPECT_TRUE(shortest_plan(yard).changes_from);
  yard.edges.front().seconds = 100;
  EXPECT_FALSE(shortest_plan(yard).changes_from);
}

TEST(Planner, ParallelEdgesAndCyclesAreHarmless) {
  Yard yard = thesis_yard(10);
  yard.edges.push_back({dense_host, csr_host, StepKind::Convert, 1e9});
  yard.edges.push_back({dense_host, csr_host, StepKind::Convert, 3});
  yard.edges.push_back({csr_host, dense_host, StepKind::Convert, 0});
  const Plan plan = shortest_plan(yard);
  EXPECT_DOUBLE_EQ(plan.steps.front().predicted_seconds, 3);
}

TEST(Planner, RefusesCostsThatAreNone) {
  for (const double bad :
       {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Yard edge = thesis_yard(1);
    edge.edges[0].seconds = bad;
    EXPECT_THROW(static_cast<void>(shortest_plan(edge)), Error);
    Yard node = thesis_yard(1);
    node.nodes[2].multiply_seconds = bad;
    EXPECT_THROW(static_cast<void>(shortest_plan(node)), Error);
  }
}

TEST(Planner, NoRouteIsAnError) {
  Yard yard = thesis_yard(1);
  yard.nodes = {{.state = dense_device, .multiply_seconds = 1}};
  yard.edges.clear();
  try {
    static_cast<void>(shortest_plan(yard));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::DeviceUnavailable);
  }
}

TEST(Planner, TheLargestNumberOfCallsOverflowsNothing) {
  constexpr Index most = std::numeric_limits<Index>::max();
  const Plan plan = shortest_plan(thesis_yard(most));
  EXPECT_EQ(plan.target(), csr_device);
  EXPECT_EQ(plan.multiply_step().calls, most);
  EXPECT_FALSE(plan.changes_from) << "there are no more calls than that";
  EXPECT_EQ(plan.changes_below, 3);
}

TEST(Planner, ATurningPointBeyondEveryNumberIsNone) {
  // The difference of the fixed costs, by that of the rates, is more than any Index.
  Yard yard = thesis_yard(1000);
  yard.nodes = {{.state = dense_host, .multiply_seconds = 1e-3},
                {.state = csr_host, .multiply_seconds = 2e-3}};
  yard.edges = {{dense_host, csr_host, StepKind::Convert, 0}};
  yard.nodes[0].once_seconds = 1e300;
  const Plan plan = shortest_plan(yard);
  EXPECT_EQ(plan.target(), csr_host);
  EXPECT_FALSE(plan.changes_from);
  const Plan other = shortest_plan(yard, dense_host);
  EXPECT_EQ(other.changes_below, 1000) << "for every number of calls up to the one planned for";
}

TEST(Planner, AStateThatIsAskedForTurnsAfterTheCallsPlannedFor) {
  const Plan plan = shortest_plan(thesis_yard(1000), dense_host);
  EXPECT_EQ(plan.changes_from, 1001) << "others would have been faster from 3 calls on";
}

TEST(Planner, SamePlanEveryTime) {
  const Plan first = shortest_plan(thesis_yard(7));
  for (int i = 0; i < 100; ++i) {
    const Plan again = shortest_plan(thesis_yard(7));
    EXPECT_EQ(again.target(), first.target());
    EXPECT_EQ(again.predicted_seconds, first.predicted_seconds);
  }
}

TEST(PlanLine, NamesEveryStepAndTheNextBest) {
  Yard yard = thesis_yard(4);
  for (YardNode& node : yard.nodes) node.variant = "rows";
  EXPECT_EQ(plan_line(shortest_plan(yard), "A 2x2 nnz=4 (100%)"),
            "plan A 2x2 nnz=4 (100%) calls=4: dense@host -convert 12.0s-> csr@host "
            "-transfer 8.00s-> csr@device0 -multiply[csr/rows] 4.00s = 24.0s; "
            "next: csr@host 36.0s");
}

TEST(FormatSeconds, ThreeDigitsAndAUnit) {
  EXPECT_EQ(format_seconds(0.0121), "12.1ms");
  EXPECT_EQ(format_seconds(3.2e-3), "3.20ms");
  EXPECT_EQ(format_seconds(1.1e-4), "110us");
  EXPECT_EQ(format_seconds(5e-9), "5.00ns");
  EXPECT_EQ(format_seconds(0), "0.00s");
}

}  // namespace
}  // namespace switchyard
