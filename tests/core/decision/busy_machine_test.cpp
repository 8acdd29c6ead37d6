// What the dispatcher makes of times that other programs have made longer.
#include <gtest/gtest.h>

#include <switchyard/core/dispatcher.hpp>

#include "core/decision/yards.hpp"
#include "states.hpp"

namespace switchyard {
namespace {

using testing::complete_yard;

/// One state with two kernels, as they are priced: `here` is used and costs what it is expected to.
Yard two_kernels(std::string_view here, double seconds, double other, std::string_view quiet = {}) {
  Yard yard = complete_yard({seconds}, {0});
  yard.nodes[0].variant = here;
  yard.nodes[0].others.best_seconds = other;
  yard.nodes[0].others.quiet = quiet;
  return yard;
}

/// Calls of `seconds` each, of which they compute `computed`, until one needs a new decision; how
/// many there were, at most `calls`.
int calls_until_doubt(Dispatcher& dispatcher, std::string_view variant, double seconds,
                      double computed, int calls) {
  const State state{Space::host(), Format::Csr};
  for (int k = 1; k <= calls; ++k) {
    dispatcher.note_product(state, variant);
    dispatcher.note_time(state, variant, {computed, computed});
    if (dispatcher.note_spent(state, variant, 1, seconds)) return k;
  }
  return calls + 1;
}

Dispatcher following(Yard yard, bool reproducible = false) {
  Dispatcher dispatcher(reproducible);
  const State state{Space::host(), Format::Csr};
  yard.nodes[0].state = state;
  yard.valid = {state};
  dispatcher.begin(yard.valid);
  dispatcher.expect_calls(1'000'000);
  yard.horizon = dispatcher.horizon();
  dispatcher.follow(dispatcher.decide(yard));
  return dispatcher;
}

TEST(DispatcherOnABusyMachine, DoubtsAKernelThatLosesMoreThanAnotherCosts) {
  Dispatcher dispatcher = following(two_kernels("balanced", 1e-4, 2e-4));
  EXPECT_LT(calls_until_doubt(dispatcher, "balanced", 8e-3, 1e-4, 100), 10);
}

TEST(DispatcherOnABusyMachine, KeepsAKernelThatIsStillTheBest) {
  Dispatcher dispatcher = following(two_kernels("balanced", 1e-4, 2e-4));
  EXPECT_GT(calls_until_doubt(dispatcher, "balanced", 1.7e-4, 1e-4, 3000), 3000);
}

TEST(DispatcherOnABusyMachine, TriesAgainWhatWasLeftAndEachTimeLater) {
  Dispatcher dispatcher = following(two_kernels("balanced", 1e-4, 2e-4));
  static_cast<void>(calls_until_doubt(dispatcher, "balanced", 8e-3, 1e-4, 100));
  double waited = 0;
  for (int round = 0; round < 4; ++round) {
    Yard yard = two_kernels("serial", 2e-4, 8e-3, "balanced");
    yard.nodes[0].state = {Space::host(), Format::Csr};
    yard.valid = {yard.nodes[0].state};
    yard.horizon = dispatcher.horizon();
    dispatcher.follow(dispatcher.decide(yard));
    const double seconds = 2e-4 * calls_until_doubt(dispatcher, "serial", 2e-4, 2e-4, 100'000);
    EXPECT_GT(seconds, 1.5 * waited) << round;
    waited = seconds;
    yard = two_kernels("balanced", 1e-4, 2e-4);
    yard.nodes[0].state = {Space::host(), Format::Csr};
    yard.valid = {yard.nodes[0].state};
    yard.horizon = dispatcher.horizon();
    dispatcher.follow(dispatcher.decide(yard));
    static_cast<void>(calls_until_doubt(dispatcher, "balanced", 8e-3, 1e-4, 100));
  }
  EXPECT_LT(waited, 4) << "never for good";
}

TEST(DispatcherOnABusyMachine, ExpectsOfAKernelHardlyUsedWhatAllHaveWaited) {
  Ledger ledger;
  const State state{Space::host(), Format::Csr};
  const auto call = [&](std::string_view variant, double computed, double seconds) {
    ledger.count(state, variant);
    ledger.time(state, variant, {computed, computed});
    ledger.spend(state, variant, 1, seconds);
  };
  // Half of the time is waiting, whatever computes.
  for (int k = 0; k < 500; ++k) call("balanced", 1e-4, 2e-4);
  // The first calls of another kernel have met nothing but a long wait.
  for (int k = 0; k < 4; ++k) call("serial", 1e-4, k == 0 ? 4e-3 : 1e-4);
  EXPECT_NEAR(ledger.cost(state, "balanced")->seconds, 2e-4, 0.2e-4);
  EXPECT_LT(ledger.cost(state, "serial")->seconds, 3.5e-4);
}

TEST(DispatcherOnABusyMachine, ForgetsWhatWasLostLongAgo) {
  Ledger ledger;
  const State state{Space::host(), Format::Csr};
  const auto call = [&](std::string_view variant, double seconds) {
    ledger.count(state, variant);
    ledger.time(state, variant, {1e-4, 1e-4});
    ledger.spend(state, variant, 1, seconds);
  };
  for (int k = 0; k < 20; ++k) call("balanced", 8e-3);
  EXPECT_GT(ledger.cost(state, "balanced")->seconds, 1e-3);
  for (int k = 0; k < 10'000; ++k) call("serial", 1e-4);
  EXPECT_LT(ledger.cost(state, "balanced")->seconds, 1.1e-4);
}

using testing::csr_host;

/// One call of the kernel that is used. Returns whether the next one needs a new decision.
bool call(Dispatcher& dispatcher, double seconds) {
  dispatcher.note_product(csr_host, "balanced");
  return dispatcher.note_time(csr_host, "balanced", {seconds, seconds});
}

std::optional<MeasuredCost> known(const Dispatcher& dispatcher) {
  return dispatcher.ledger().cost(csr_host, "balanced");
}

/// What is known of a kernel after one call of `seconds`.
std::optional<MeasuredCost> known_after_one(double planned, double seconds, double y_bytes = 0) {
  Yard yard = two_kernels("balanced", planned, 1);
  yard.y_bytes = y_bytes;
  Dispatcher dispatcher = following(std::move(yard));
  call(dispatcher, seconds);
  return known(dispatcher);
}

TEST(DispatcherOnABusyMachine, BelievesAFirstCallThatTakesFarTooLong) {
  const auto believed = known_after_one(1e-3, 9e-3);
  ASSERT_TRUE(believed);
  EXPECT_NEAR(believed->seconds, 9e-3, 1e-9);
  EXPECT_GE(believed->relative_error, 1) << "it is a single time";
  EXPECT_FALSE(known_after_one(1e-3, 3e-3)) << "its caches may have been cold";
  EXPECT_FALSE(known_after_one(1e-5, 9e-5)) << "three more cost nothing";
  EXPECT_FALSE(known_after_one(1e-3, 9e-3, 4e6)) << "y may have been new to the machine";
  EXPECT_TRUE(known_after_one(1e-3, 9e-3, 1e6));
}

TEST(DispatcherOnABusyMachine, LeavesAKernelThatTakesFarTooLongAgainAndAgain) {
  for (const double other : {2e-3, 20e-3}) {
    Dispatcher dispatcher = following(two_kernels("balanced", 1e-3, other));
    EXPECT_FALSE(call(dispatcher, 9e-3)) << "the other kernel is as near later";
    EXPECT_FALSE(call(dispatcher, 9e-3));
    EXPECT_FALSE(call(dispatcher, 9e-3));
    EXPECT_EQ(call(dispatcher, 9e-3), other < 9e-3);
  }
}

TEST(DispatcherOnABusyMachine, LeavesAStateAfterAFirstCallThatTakesFarTooLong) {
  const State ell{Space::host(), Format::Ell};
  Yard yard = two_kernels("balanced", 1e-3, 1);
  yard.nodes.push_back({.state = ell, .multiply_seconds = 2e-3});
  yard.edges.push_back({csr_host, ell, StepKind::Convert, 1e-3});
  Dispatcher dispatcher = following(yard);
  EXPECT_TRUE(call(dispatcher, 9e-3));
}

TEST(DispatcherOnABusyMachine, ALaterCallThatTakesFarTooLongIsOneOfSeveral) {
  Dispatcher dispatcher = following(two_kernels("balanced", 1e-3, 2e-3));
  call(dispatcher, 1.2e-3);
  EXPECT_FALSE(call(dispatcher, 9e-3));
  EXPECT_FALSE(known(dispatcher));
  call(dispatcher, 1e-3);
  call(dispatcher, 1e-3);
  ASSERT_TRUE(known(dispatcher));
  EXPECT_LT(known(dispatcher)->quiet_seconds, 1.1e-3);
}

TEST(DispatcherOnABusyMachine, FurtherTimesReplaceASingleOne) {
  Dispatcher dispatcher = following(two_kernels("balanced", 1e-3, 20e-3));
  call(dispatcher, 9e-3);
  for (int k = 0; k < 3; ++k) call(dispatcher, 1e-3);
  ASSERT_TRUE(known(dispatcher));
  EXPECT_NEAR(known(dispatcher)->seconds, 1e-3, 1e-9);
}

TEST(DispatcherOnABusyMachine, ReproducibleLooksAtNoClock) {
  Dispatcher dispatcher = following(two_kernels("balanced", 1e-4, 2e-4), true);
  EXPECT_FALSE(dispatcher.wants_every_time());
  EXPECT_GT(calls_until_doubt(dispatcher, "balanced", 8e-3, 1e-4, 100), 100);
}

TEST(DispatcherOnABusyMachine, EveryCallIsTimedWhereAClockCostsLittle) {
  EXPECT_TRUE(following(two_kernels("balanced", 1e-4, 2e-4)).wants_every_time());
  EXPECT_FALSE(following(two_kernels("balanced", 1e-7, 2e-4)).wants_every_time());
}

/// From CSR, where a call takes `csr` seconds, conversions of a second each lead to other formats.
Yard two_conversions(double csr, double ell, double sell) {
  Yard yard;
  yard.valid = {csr_host};
  yard.nodes.push_back({.state = csr_host, .multiply_seconds = csr});
  for (const auto& [format, seconds] :
       {std::pair{Format::Ell, ell}, std::pair{Format::Sell8, sell}}) {
    const State state{Space::host(), format};
    yard.nodes.push_back({.state = state, .multiply_seconds = seconds});
    yard.edges.push_back({csr_host, state, StepKind::Convert, 1});
  }
  return yard;
}

/// Where the second plan of 1000 calls leads, after the first led to ELLPACK in `seconds`.
Format second_plan(double seconds, bool reproducible) {
  const State ell_host{Space::host(), Format::Ell};
  Dispatcher dispatcher(reproducible);
  Yard yard = two_conversions(3, 1, 2);
  dispatcher.begin(yard.valid);
  dispatcher.expect_calls(1000);
  yard.horizon = dispatcher.horizon();
  const Plan first = dispatcher.decide(yard);
  EXPECT_EQ(first.target(), ell_host);
  dispatcher.follow(first);
  dispatcher.note_move(first.steps.front(), seconds);
  // SELL would save half of what is left, 500 s.
  yard = two_conversions(3, 1, 0.5);
  yard.valid.push_back(ell_host);
  yard.horizon = dispatcher.horizon();
  return dispatcher.decide(yard).target().format;
}

TEST(DispatcherOnABusyMachine, AConversionThatTookLongerMakesTheOthersDearer) {
  EXPECT_EQ(second_plan(1, false), Format::Sell8);
  EXPECT_EQ(second_plan(400, false), Format::Sell8);
  EXPECT_EQ(second_plan(600, false), Format::Ell);
  EXPECT_EQ(second_plan(600, true), Format::Sell8) << "reproducible plans measure nothing";
}

}  // namespace
}  // namespace switchyard
