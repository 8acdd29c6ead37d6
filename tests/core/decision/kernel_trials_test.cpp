// When the dispatcher tries another kernel of the state where a matrix is.
#include <gtest/gtest.h>

#include <switchyard/core/dispatcher.hpp>

#include "core/decision/yards.hpp"

namespace switchyard {
namespace {

using testing::complete_yard;
using testing::nth_state;

/// A state with a kernel that was used, and one that was not and is predicted at `seconds`.
Yard with_untried_kernel(const Dispatcher& dispatcher, double seconds, double error) {
  Yard yard = complete_yard({1}, {0});
  yard.horizon = dispatcher.horizon();
  yard.nodes[0].variant = "used";
  yard.nodes[0].others = {.best_seconds = seconds,
                          .untried = "new",
                          .untried_seconds = seconds,
                          .untried_error = error};
  return yard;
}

/// After a few calls of the kernel that is used.
Dispatcher settled_in_a_kernel(Index calls_to_come) {
  Dispatcher dispatcher;
  dispatcher.begin({nth_state(0)});
  dispatcher.expect_calls(calls_to_come + 5);
  Yard yard = complete_yard({1}, {0});
  yard.horizon = dispatcher.horizon();
  yard.nodes[0].variant = "used";
  dispatcher.follow(dispatcher.decide(yard));
  for (int k = 0; k < 5; ++k) {
    dispatcher.note_product(nth_state(0), "used");
    dispatcher.note_time(nth_state(0), "used", {1, 1});
  }
  return dispatcher;
}

TEST(KernelTrials, TriesAnotherKernelOfTheStateWhereItMayBeFaster) {
  Dispatcher dispatcher = settled_in_a_kernel(1000);
  Plan plan = dispatcher.decide(with_untried_kernel(dispatcher, 1.2, 3));
  EXPECT_EQ(plan.reason, Reason::Trial);
  EXPECT_EQ(plan.multiply_step().variant, "new");
  EXPECT_EQ(plan.holds_for, 4);
  dispatcher.follow(plan);
  for (int k = 0; k < 4; ++k) {
    dispatcher.note_product(nth_state(0), "new");
    dispatcher.note_time(nth_state(0), "new", {2, 2});
  }
  // It was used now, and is not tried again.
  plan = dispatcher.decide(with_untried_kernel(dispatcher, 1.2, 3));
  EXPECT_EQ(plan.multiply_step().variant, "used");
}

TEST(KernelTrials, TriesNoKernelThatCannotBeFasterOrForFewCalls) {
  Dispatcher dispatcher = settled_in_a_kernel(1000);
  EXPECT_EQ(dispatcher.decide(with_untried_kernel(dispatcher, 1.2, 0.1)).multiply_step().variant,
            "used");
  dispatcher = settled_in_a_kernel(20);
  EXPECT_EQ(dispatcher.decide(with_untried_kernel(dispatcher, 1.2, 3)).multiply_step().variant,
            "used");
  dispatcher = settled_in_a_kernel(1000);
  EXPECT_EQ(dispatcher.decide(with_untried_kernel(dispatcher, 50, 100)).multiply_step().variant,
            "used")
      << "four such calls are a fifth of all";
}

TEST(KernelTrials, OnADeviceTheirCallsAreTimedAndWaitedFor) {
  const State device = nth_state(2);
  Yard yard;
  yard.valid = {device};
  yard.nodes = {{.state = device, .multiply_seconds = 20e-6, .variant = "used"}};
  yard.nodes[0].measured = true;
  yard.nodes[0].others = {
      .best_seconds = 18e-6, .untried = "new", .untried_seconds = 18e-6, .untried_error = 2};
  Dispatcher dispatcher(false);
  dispatcher.begin(yard.valid);
  dispatcher.expect_calls(1000);
  yard.horizon = dispatcher.horizon();
  dispatcher.follow(dispatcher.decide(yard));
  for (int k = 0; k < 5; ++k) {
    dispatcher.note_product(device, "used");
    dispatcher.note_time(device, "used", {20e-6, 20e-6, true});
  }
  yard.horizon = dispatcher.horizon();
  const Plan plan = dispatcher.decide(yard);
  ASSERT_EQ(plan.reason, Reason::Trial);
  dispatcher.follow(plan);
  for (int k = 0; k < 4; ++k) {
    EXPECT_TRUE(dispatcher.wants_time()) << k;
    EXPECT_TRUE(dispatcher.worth_waiting()) << k;
    dispatcher.note_product(device, "new");
    ASSERT_FALSE(dispatcher.passes_check(device, "new", {15e-6, 15e-6, true})) << k;
    dispatcher.note_time(device, "new", {15e-6, 15e-6, true});
  }
  EXPECT_EQ(dispatcher.ledger().cost(device, "new")->seconds, 15e-6);
  EXPECT_FALSE(dispatcher.worth_waiting()) << "it is known";
}

TEST(KernelTrials, ATimeIsReasonEnoughToTryAnotherKernel) {
  Dispatcher dispatcher;
  dispatcher.begin({nth_state(0)});
  dispatcher.expect_calls(1000);
  dispatcher.follow(dispatcher.decide(with_untried_kernel(dispatcher, 1.2, 3)));
  bool again = false;
  for (int k = 0; k < 4 && !again; ++k) {
    dispatcher.note_product(nth_state(0), "used");
    again = dispatcher.note_time(nth_state(0), "used", {1, 1});
  }
  EXPECT_TRUE(again);
}

}  // namespace
}  // namespace switchyard
