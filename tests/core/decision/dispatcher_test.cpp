// What the dispatcher learns from calls and their times.
#include <gtest/gtest.h>

#include <limits>
#include <switchyard/core/dispatcher.hpp>

#include "core/decision/yards.hpp"

namespace switchyard {
namespace {

using testing::complete_yard;
using testing::nth_state;

bool note_product(Dispatcher& dispatcher, State state, double seconds) {
  const bool tried = dispatcher.note_product(state, "");
  return dispatcher.note_time(state, "", {seconds, seconds}) || tried;
}

/// Makes products in the first state of the yard.
void multiply(Dispatcher& dispatcher, Yard yard, int calls, double seconds) {
  yard.horizon = dispatcher.horizon();
  dispatcher.follow(dispatcher.decide(yard));
  for (int k = 0; k < calls; ++k) note_product(dispatcher, nth_state(0), seconds);
}

TEST(Dispatcher, LearnsHowOftenTheMatrixIsRewritten) {
  // Break-even is at eleven calls: who waits for it and is then rewritten pays for both.
  const Yard yard = complete_yard({1, 0}, {0, 11});
  Dispatcher dispatcher;
  for (int contents = 0; contents < 3; ++contents) {
    dispatcher.begin({nth_state(0)});
    EXPECT_EQ(dispatcher.horizon(), 1);
    multiply(dispatcher, yard, 9 + contents, 1);
  }
  dispatcher.begin({nth_state(0)});
  EXPECT_EQ(dispatcher.horizon(), 9) << "the least of the last three";
  multiply(dispatcher, yard, 9, 1);
  EXPECT_EQ(dispatcher.horizon(), 10) << "it lasts longer: as many as have been made, and one";
  dispatcher.begin({nth_state(0)});
  dispatcher.expect_calls(500);
  EXPECT_EQ(dispatcher.horizon(), 500) << "the caller knows better";
}

TEST(Dispatcher, OnlyCallsThatAreNotedUseTheHintUp) {
  Yard yard = complete_yard({1, 1}, {0, 1});
  Dispatcher dispatcher;
  dispatcher.begin({nth_state(0)});
  dispatcher.expect_calls(5);
  yard.horizon = dispatcher.horizon();
  dispatcher.follow(dispatcher.decide(yard));
  EXPECT_EQ(dispatcher.horizon(), 5) << "a decision alone is no call";
  dispatcher.note_product(nth_state(0), "");
  EXPECT_EQ(dispatcher.calls(), 1);
  EXPECT_EQ(dispatcher.horizon(), 4);
  EXPECT_EQ(dispatcher.ledger().calls(nth_state(0)), 1);
}

TEST(Dispatcher, NobodyBeginsFromACopyThatIsGone) {
  // Products that cost a hundredth elsewhere, behind a way of ten.
  Yard yard = complete_yard({1, 0.01}, {0, 10});
  Dispatcher dispatcher;
  dispatcher.begin({nth_state(1)});
  dispatcher.joined(nth_state(0));
  dispatcher.left(nth_state(1));
  int calls = 0;
  for (State at = nth_state(0); at == nth_state(0) && calls < 100; ++calls) {
    yard.horizon = dispatcher.horizon();
    const Plan plan = dispatcher.decide(yard);
    dispatcher.follow(plan);
    at = plan.target();
    note_product(dispatcher, at, at == nth_state(0) ? 1 : 0.01);
  }
  EXPECT_LE(calls, 11) << "it pays for itself by then";
}

// Calls at 0.5 s in a copy that the program asked for, and 10 s to a state without costs: 19 s
// after 18 calls is twice what 19 calls would have cost there.
TEST(Dispatcher, ACopyThatJoinsCountsAsThereFromTheBeginning) {
  Yard yard = complete_yard({1, 0.5, 0}, {0, 20, 10});
  yard.edges.push_back({nth_state(1), nth_state(2), StepKind::Transfer, 10});
  Dispatcher dispatcher(true);
  dispatcher.begin(yard.valid);
  dispatcher.joined(nth_state(1));
  yard.valid.push_back(nth_state(1));
  int calls = -1;
  for (State at = nth_state(1); at == nth_state(1) && calls < 100; ++calls) {
    yard.horizon = dispatcher.horizon();
    const Plan plan = dispatcher.decide(yard);
    dispatcher.follow(plan);
    at = plan.target();
    note_product(dispatcher, at, 0);
  }
  EXPECT_EQ(calls, 18);
}

TEST(Dispatcher, ASpikeIsNotBelieved) {
  Dispatcher dispatcher;
  dispatcher.begin({nth_state(0)});
  Yard yard = complete_yard({1, 0.9}, {0, 1});
  yard.horizon = 1;
  dispatcher.follow(dispatcher.decide(yard));
  for (int k = 0; k < 40; ++k) {
    note_product(dispatcher, nth_state(0), k % 5 == 4 ? 100 : 1);
  }
  const auto cost = dispatcher.ledger().cost(nth_state(0), "");
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->seconds, 1);
}

/// States of these costs, whose models may be off by half.
Yard half_known(const std::vector<double>& costs, const std::vector<double>& ways) {
  Yard yard = complete_yard(costs, ways);
  for (YardNode& node : yard.nodes) node.relative_error = 0.5;
  return yard;
}

/// At the first state of a yard, with so many calls to come.
Dispatcher expecting(Index calls) {
  Dispatcher dispatcher;
  dispatcher.begin({nth_state(0)});
  dispatcher.expect_calls(calls);
  return dispatcher;
}

/// The plan that tries something, after at most ten calls of 10 s; the last one where none does.
Plan first_trial(Dispatcher& dispatcher, Yard& yard) {
  Plan plan;
  for (int k = 0; k < 10 && plan.reason != Reason::Trial; ++k) {
    yard.horizon = dispatcher.horizon();
    plan = dispatcher.decide(yard);
    dispatcher.follow(plan);
    note_product(dispatcher, plan.target(), 10);
  }
  return plan;
}

TEST(Dispatcher, ATrialEndsWhereItsStateIsLost) {
  Yard yard = half_known({10, 11}, {0, 20});
  Dispatcher dispatcher = expecting(3000);
  const Plan plan = first_trial(dispatcher, yard);
  ASSERT_EQ(plan.reason, Reason::Trial);
  ASSERT_EQ(plan.target(), nth_state(1));
  EXPECT_EQ(dispatcher.decide(yard).target(), nth_state(1));
  yard.nodes.pop_back();
  const Plan without = dispatcher.decide(yard);
  EXPECT_EQ(without.target(), nth_state(0));
  EXPECT_NE(without.reason, Reason::Trial);
}

// In this test and the next, trials may take 600 s of 30000 s, and are planned to take 64 s each.
TEST(Dispatcher, ATrialEndsWhereTrialsHaveTakenAllThatTheyMay) {
  Yard yard = half_known({10, 11}, {0, 20});
  Dispatcher dispatcher = expecting(3000);
  ASSERT_EQ(first_trial(dispatcher, yard).target(), nth_state(1));
  EXPECT_FALSE(note_product(dispatcher, nth_state(1), 500)) << "once more, to know it";
  EXPECT_TRUE(note_product(dispatcher, nth_state(1), 500));
  yard.horizon = dispatcher.horizon();
  const Plan plan = dispatcher.decide(yard);
  EXPECT_EQ(plan.target(), nth_state(0));
  EXPECT_NE(plan.reason, Reason::Trial);
}

TEST(Dispatcher, WhatATrialTakesBeyondItsPlanIsCounted) {
  for (const double late : {15.0, 700.0}) {
    Yard yard = half_known({10, 11, 11.5}, {0, 20, 20});
    Dispatcher dispatcher = expecting(3000);
    ASSERT_EQ(first_trial(dispatcher, yard).target(), nth_state(1));
    for (int k = 0; k < 3; ++k) {
      if (note_product(dispatcher, nth_state(1), late)) break;
    }
    const Plan next = first_trial(dispatcher, yard);
    EXPECT_EQ(next.reason == Reason::Trial, late < 100) << late;
  }
}

TEST(Dispatcher, TriesWhatPromisesMostFirst) {
  Yard yard = complete_yard({10, 11, 11}, {0, 5, 20});
  yard.nodes[1].relative_error = 0.2;
  yard.nodes[2].relative_error = 30;
  Dispatcher dispatcher;
  dispatcher.begin({nth_state(0)});
  dispatcher.expect_calls(3000);
  const Plan plan = first_trial(dispatcher, yard);
  EXPECT_EQ(plan.reason, Reason::Trial);
  EXPECT_EQ(plan.target(), nth_state(2)) << "the other costs less, and may gain a tenth";
}

// A trial costs 86 s here at most and 64 s as predicted, and trials may take 100 s of 5000 s.
TEST(Dispatcher, TrialsWithFormerContentsAreNotCounted) {
  Yard yard = complete_yard({10, 11}, {0, 20});
  for (YardNode& node : yard.nodes) node.relative_error = 0.5;
  Dispatcher dispatcher;
  for (int contents = 0; contents < 2; ++contents) {
    dispatcher.begin({nth_state(0)});
    dispatcher.expect_calls(500);
    EXPECT_EQ(first_trial(dispatcher, yard).reason, Reason::Trial) << contents;
  }
}

// The first calls on a device, where their times may lead elsewhere.
TEST(Dispatcher, WaitsForADeviceUntilItsTimeIsKnown) {
  const State device = nth_state(2);
  Yard yard;
  yard.valid = {device};
  yard.nodes = {{.state = nth_state(0), .multiply_seconds = 2},
                {.state = device, .multiply_seconds = 1}};
  yard.edges = {{device, nth_state(0), StepKind::Transfer, 1}};
  const auto following = [&](bool reproducible) {
    Dispatcher dispatcher(reproducible);
    dispatcher.begin(yard.valid);
    dispatcher.expect_calls(1000);
    yard.horizon = dispatcher.horizon();
    dispatcher.follow(dispatcher.decide(yard));
    return dispatcher;
  };
  EXPECT_FALSE(following(true).worth_waiting());
  Dispatcher dispatcher = following(false);
  for (int call = 0; call < 6; ++call) {
    const bool is_known = dispatcher.ledger().samples(device, "") >= Ledger::enough;
    EXPECT_EQ(dispatcher.worth_waiting(), !is_known) << call;
    note_product(dispatcher, device, 1);
  }
  yard.nodes.erase(yard.nodes.begin());
  EXPECT_FALSE(following(false).worth_waiting()) << "there is no other state";
}

TEST(Dispatcher, ATimeOfNoProductIsNoCost) {
  Ledger ledger;
  for (int k = 0; k < 10; ++k) ledger.time(nth_state(0), "rows", {1, 1});
  EXPECT_EQ(ledger.calls(nth_state(0)), 0);
  EXPECT_EQ(ledger.samples(nth_state(0), "rows"), 0);
  EXPECT_FALSE(ledger.cost(nth_state(0), "rows"));
}

TEST(Dispatcher, ReproducibleConsultsNothingMeasured) {
  const Yard yard = complete_yard({10, 1}, {0, 20});
  std::vector<std::vector<State>> targets;
  for (const double seconds : {1e-6, 1e6}) {
    Dispatcher dispatcher(true);
    dispatcher.begin({nth_state(0)});
    auto& visited = targets.emplace_back();
    Yard now = yard;
    for (int call = 0; call < 50; ++call) {
      now.horizon = dispatcher.horizon();
      const Plan plan = dispatcher.decide(now);
      dispatcher.follow(plan);
      if (plan.steps.size() > 1) {
        dispatcher.note_move(plan.steps.front(), seconds);
        now.valid.push_back(plan.target());
      }
      visited.push_back(plan.target());
      EXPECT_FALSE(note_product(dispatcher, plan.target(), seconds));
    }
  }
  EXPECT_EQ(targets[0], targets[1]);
}

/// The state of the plan for the next of 1000 calls, from the first state of the yard.
State next_state(Dispatcher& dispatcher, Yard yard) {
  yard.horizon = dispatcher.horizon();
  const Plan plan = dispatcher.decide(yard);
  dispatcher.follow(plan);
  note_product(dispatcher, plan.target(), 1);
  return plan.target();
}

// Run-to-run noise is about as large: without a margin a matrix would be converted for it.
TEST(Dispatcher, AGainWithinTheMarginMovesNothing) {
  for (const bool reproducible : {false, true}) {
    Dispatcher dispatcher(reproducible);
    dispatcher.begin({nth_state(0)});
    dispatcher.expect_calls(1000);
    ASSERT_EQ(next_state(dispatcher, complete_yard({1, 5}, {0, 0})), nth_state(0));
    EXPECT_EQ(next_state(dispatcher, complete_yard({1, 0.98}, {0, 0})), nth_state(0));
    EXPECT_EQ(next_state(dispatcher, complete_yard({1, 0.96}, {0, 0})), nth_state(1));
  }
}

TEST(Dispatcher, WithoutAPlaceYetThereIsNoMargin) {
  Dispatcher dispatcher;
  dispatcher.begin({nth_state(0)});
  dispatcher.expect_calls(1000);
  EXPECT_EQ(next_state(dispatcher, complete_yard({1, 0.98}, {0, 0})), nth_state(1));
}

TEST(Dispatcher, TheLargestHintIsPlannedForWithoutOverflow) {
  constexpr Index most = std::numeric_limits<Index>::max();
  Yard yard = complete_yard({1, 0.5}, {0, 1e6});
  Dispatcher dispatcher;
  dispatcher.begin({nth_state(0)});
  dispatcher.expect_calls(most);
  yard.horizon = dispatcher.horizon();
  ASSERT_EQ(yard.horizon, most);
  Plan plan = dispatcher.decide(yard);
  EXPECT_EQ(plan.target(), nth_state(1));
  dispatcher.follow(plan);
  EXPECT_FALSE(note_product(dispatcher, plan.target(), 0.5));
  EXPECT_EQ(dispatcher.horizon(), most - 1);
  yard.valid.push_back(nth_state(1));
  yard.horizon = dispatcher.horizon();
  plan = dispatcher.decide(yard);
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_GE(plan.holds_for.value_or(most), most - 2) << "no fewer calls make it another choice";
}

TEST(Dispatcher, LooksAgainWhenACostIsFirstKnownAndThenEveryEightTimes) {
  // The other state may be better than its model says, so that every look is asked for.
  Yard yard = complete_yard({1, 1.2}, {0, 1e9});
  yard.nodes[1].relative_error = 1;
  Dispatcher dispatcher;
  dispatcher.begin({nth_state(0)});
  yard.horizon = dispatcher.horizon();
  dispatcher.follow(dispatcher.decide(yard));
  std::vector<std::int64_t> looks;
  for (int call = 0; call < 70; ++call) {
    if (!note_product(dispatcher, nth_state(0), 1)) continue;
    looks.push_back(dispatcher.ledger().samples(nth_state(0), ""));
  }
  EXPECT_EQ(looks, (std::vector<std::int64_t>{3, 7, 15, 31, 63}));
}

}  // namespace
}  // namespace switchyard
