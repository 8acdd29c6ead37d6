// What plans make of calls that other requests of the same matrix expect.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <switchyard/core/planner.hpp>

#include "core/decision/any_yard.hpp"
#include "states.hpp"

namespace switchyard {
namespace {

using testing::csr_host;
constexpr State csc_host{Space::host(), Format::Csc};
using testing::csr_device;
constexpr State csc_device{Space::device(0), Format::Csc};
constexpr Request transposed{.operand = Operand::Transpose};

/// A product takes 6 on the host and 1 on the device, which is 40 away. Conversions to CSC take 5.
Yard far_device(const Request& request, Index horizon) {
  const bool plain = request == Request{};
  Yard yard;
  yard.request = request;
  yard.horizon = horizon;
  yard.valid = {csr_host};
  yard.nodes = {{.state = plain ? csr_host : csc_host, .multiply_seconds = 6},
                {.state = plain ? csr_device : csc_device, .multiply_seconds = 1}};
  yard.edges = {{csr_host, csc_host, StepKind::Convert, 5},
                {csr_device, csc_device, StepKind::Convert, 5},
                {csr_host, csr_device, StepKind::Transfer, 40},
                {csc_host, csc_device, StepKind::Transfer, 40}};
  return yard;
}

TEST(Companions, PayTogetherForAWayThatNeitherPaysForAlone) {
  Yard yard = far_device({}, 5);
  EXPECT_EQ(shortest_plan(yard).target(), csr_host) << "30 against 45";
  expect_companions(yard, std::array{far_device(transposed, 5)});
  const Plan plan = shortest_plan(yard);
  EXPECT_EQ(plan.target(), csr_device) << "65 against 55";
  EXPECT_DOUBLE_EQ(plan.predicted_seconds, 55);
  ASSERT_EQ(plan.alternatives.size(), 1U);
  EXPECT_DOUBLE_EQ(plan.alternatives.front().predicted_seconds, 65);

  ASSERT_EQ(plan.yard.companions.size(), 2U);
  const Companion& there = plan.yard.companions.back();
  EXPECT_EQ(there.from, csr_device);
  EXPECT_EQ(there.request, transposed);
  EXPECT_EQ(there.calls, 5);
  EXPECT_EQ(there.state, csc_device);
  EXPECT_DOUBLE_EQ(there.seconds, 10);
}

TEST(Companions, ThatCannotBeComputedCountForNothing) {
  Yard yard = far_device({}, 5);
  Yard nowhere = far_device(transposed, 5);
  nowhere.nodes.clear();
  expect_companions(yard, std::array{nowhere});
  EXPECT_TRUE(yard.companions.empty());
  EXPECT_EQ(shortest_plan(yard).target(), csr_host);
}

TEST(Companions, TurningPointsCountThem) {
  Yard yard = far_device({}, 2);
  expect_companions(yard, std::array{far_device(transposed, 5)});
  const Plan plan = shortest_plan(yard);
  // On the host 35 + 6 a call, on the device 50 + 1 a call.
  EXPECT_EQ(plan.target(), csr_host);
  EXPECT_EQ(plan.changes_from, 4);
}

/// What `other` would cost after the steps of `plan`.
std::optional<double> cost_after(const Plan& plan, const Yard& other) {
  std::set<State> copies(other.valid.begin(), other.valid.end());
  for (const Step& step : plan.steps) copies.insert({step.from, step.to});
  const auto way = testing::cheapest_ways(other, copies);
  std::optional<double> least;
  for (const YardNode& node : other.nodes) {
    const auto there = way.find(node.state);
    if (there == way.end()) continue;
    const double cost = there->second + node.seconds(other.horizon);
    least = std::min(least.value_or(cost), cost);
  }
  return least;
}

RC_GTEST_PROP(Companions, CostWhatTheyWouldAfterThePlansSteps, ()) {
  Yard yard = *testing::any_yard();
  Yard other = *testing::any_yard();
  other.valid = yard.valid;
  other.request = transposed;
  RC_PRE(!yard.nodes.empty());
  expect_companions(yard, std::span<const Yard>(&other, 1));
  double least = std::numeric_limits<double>::infinity();
  for (const YardNode& node : yard.nodes) {
    Plan plan;
    try {
      plan = shortest_plan(yard, node.state);
    } catch (const Error&) {
      continue;
    }
    const double after = cost_after(plan, other).value_or(0);
    RC_ASSERT(std::abs(node.companion_seconds - after) <= 1e-12 * (1 + after));
    double steps = 0;
    for (const Step& step : plan.steps) steps += step.predicted_seconds;
    RC_ASSERT(std::abs(plan.predicted_seconds - steps - after) <= 1e-12 * (1 + steps + after));
    least = std::min(least, plan.predicted_seconds);
  }
  RC_PRE(least < std::numeric_limits<double>::infinity());
  RC_ASSERT(shortest_plan(yard).predicted_seconds <= least * (1 + 1e-12));
}

}  // namespace
}  // namespace switchyard
