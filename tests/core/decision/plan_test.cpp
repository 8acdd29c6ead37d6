// Plans with what was measured of their steps.
#include <gtest/gtest.h>

#include <switchyard/core/planner.hpp>

#include "core/decision/yards.hpp"

namespace switchyard {
namespace {

Step measured(Step step, double seconds, Index calls, std::optional<double> slowest) {
  step.measured_seconds = seconds;
  step.measured_calls = calls;
  step.slowest_seconds = slowest;
  return step;
}

/// A transfer, and then ten calls.
Plan two_steps() {
  Yard yard = testing::complete_yard({10, 1}, {0, 5});
  yard.horizon = 10;
  return shortest_plan(yard);
}

TEST(Refusal, HasATextHoweverItWasGiven) {
  EXPECT_EQ(Refusal().text(), "");
  EXPECT_EQ(Refusal("set aside").text(), "set aside");
  EXPECT_EQ(Refusal(std::string("set aside")).text(), "set aside");
  EXPECT_EQ(Refusal::fixed("does not fit").text(), "does not fit");
  EXPECT_EQ(Refusal::too_large(3, Format::Csr, 1.5).text(),
            "takes 3.00x the memory of csr; more than 1.5x is not considered");
}

TEST(WithMeasurements, CallsAddUpAndTheSlowestIsKept) {
  const Step multiply = two_steps().multiply_step();
  const Plan plan = with_measurements(
      two_steps(), {measured(multiply, 3, 2, 2), measured(multiply, 9, 4, 4),
                    measured(multiply, 5, 3, 1.5), measured(multiply, 1, 1, std::nullopt)});
  const Step& step = plan.multiply_step();
  EXPECT_EQ(step.measured_seconds, 3 + 9 + 5 + 1);
  EXPECT_EQ(step.measured_calls, 2 + 4 + 3 + 1);
  EXPECT_EQ(step.slowest_seconds, 4);
  EXPECT_FALSE(plan.steps.front().measured_seconds) << "the transfer was not measured";
}

TEST(WithMeasurements, OfAMoveTheLastTimeCounts) {
  const Step move = two_steps().steps.front();
  const Plan plan = with_measurements(
      two_steps(), {measured(move, 3, 1, std::nullopt), measured(move, 7, 1, std::nullopt)});
  EXPECT_EQ(plan.steps.front().measured_seconds, 7);
  EXPECT_EQ(plan.steps.front().measured_calls, 1);
  EXPECT_FALSE(plan.multiply_step().measured_seconds);
}

TEST(WithMeasurements, OtherStepsAreLeftOut) {
  const Plan plan = two_steps();
  Step other_kind = plan.steps.front();
  other_kind.kind = StepKind::Convert;
  Step other_source = plan.steps.front();
  other_source.from = testing::nth_state(2);
  Step other_target = plan.steps.front();
  other_target.to = testing::nth_state(2);
  for (const Step& other : {other_kind, other_source, other_target}) {
    const Plan with = with_measurements(plan, {measured(other, 3, 1, 3)});
    for (const Step& step : with.steps) EXPECT_FALSE(step.measured_seconds);
  }
}

}  // namespace
}  // namespace switchyard
