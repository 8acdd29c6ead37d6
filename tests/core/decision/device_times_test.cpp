// Short products on a device: which are looked at, which are timed, and what their times say.
#include <gtest/gtest.h>

#include <switchyard/core/dispatcher.hpp>

#include "core/decision/yards.hpp"

namespace switchyard {
namespace {

using testing::nth_state;

/// The dispatcher of a device where products are planned to take so long, and of which one was
/// made.
Dispatcher on_device(State device, double planned, Index calls) {
  Yard yard;
  yard.valid = {device};
  yard.nodes = {{.state = nth_state(0), .multiply_seconds = 4 * planned},
                {.state = device, .multiply_seconds = planned}};
  yard.edges = {{device, nth_state(0), StepKind::Transfer, 1e-6}};
  Dispatcher dispatcher(false);
  dispatcher.begin(yard.valid);
  dispatcher.expect_calls(calls);
  yard.horizon = dispatcher.horizon();
  dispatcher.follow(dispatcher.decide(yard));
  dispatcher.note_product(device, "");
  return dispatcher;
}

// Markers take microseconds: of products as short as planned no time is kept.
TEST(Dispatcher, ShortProductsOnADeviceAreOnlyChecked) {
  const State device = nth_state(2);
  Dispatcher dispatcher = on_device(device, 5e-6, 1000);
  int looks = 0;
  for (int call = 1; call < 200; ++call) {
    if (dispatcher.wants_time()) {
      ++looks;
      EXPECT_TRUE(dispatcher.passes_check(device, {20e-6, 20e-6}));
    }
    dispatcher.note_product(device, "");
  }
  EXPECT_EQ(looks, 2);
  EXPECT_EQ(dispatcher.ledger().samples(device, ""), 0);
  EXPECT_FALSE(on_device(device, 5e-6, 10).wants_time()) << "of so few calls none is worth it";
}

TEST(Dispatcher, AShortProductThatTakesLongIsFoundAfterAFewCalls) {
  const State device = nth_state(2);
  Dispatcher dispatcher = on_device(device, 5e-6, 1000);
  int call = 1;
  bool decides = false;
  for (; call < 20 && !decides; ++call) {
    ASSERT_TRUE(dispatcher.wants_time()) << call;
    ASSERT_FALSE(dispatcher.passes_check(device, {250e-6, 250e-6})) << call;
    decides = dispatcher.note_time(device, "", {250e-6, 250e-6});
    dispatcher.note_product(device, "");
  }
  EXPECT_TRUE(decides);
  EXPECT_LE(call, 6);
  EXPECT_EQ(dispatcher.ledger().cost(device, "")->seconds, 250e-6);
}

// A launch counts as well, which varies: a second look tells.
TEST(Dispatcher, AShortProductThatTakesLongerTwiceInARowIsTimed) {
  const State device = nth_state(2);
  Dispatcher dispatcher = on_device(device, 10e-6, 1000);
  const auto passes = [&](double seconds) {
    EXPECT_TRUE(dispatcher.wants_time());
    dispatcher.note_product(device, "");
    return dispatcher.passes_check(device, {seconds, seconds});
  };
  const auto until_wanted = [&] {
    Index calls = 0;
    for (; calls < 1000 && !dispatcher.wants_time(); ++calls) dispatcher.note_product(device, "");
    return calls;
  };
  EXPECT_TRUE(passes(40e-6));
  EXPECT_EQ(until_wanted(), 4);
  EXPECT_TRUE(passes(15e-6)) << "the first one was a slow launch";
  EXPECT_GT(until_wanted(), 100);
  EXPECT_TRUE(passes(40e-6));
  EXPECT_EQ(until_wanted(), 4);
  EXPECT_FALSE(passes(40e-6));
  EXPECT_EQ(until_wanted(), 4) << "from now on times are kept";
}

// A program that enqueues many products does not empty the queue: then their times are exact.
TEST(Dispatcher, OfAShortProductThatWaitedInTheQueueTheTimeIsBelieved) {
  const State device = nth_state(2);
  Dispatcher dispatcher = on_device(device, 10e-6, 1000);
  const auto passes = [&](double seconds) {
    return dispatcher.passes_check(device, {seconds, seconds, true});
  };
  EXPECT_TRUE(passes(13e-6)) << "a quarter more, and a marker";
  EXPECT_FALSE(passes(15e-6));
  EXPECT_TRUE(on_device(device, 10e-6, 1000).passes_check(device, {15e-6, 15e-6}))
      << "with a launch it says nothing";

  Dispatcher learning = on_device(device, 10e-6, 1000);
  bool decides = false;
  Index call = 1;
  for (; call < 40 && !decides; ++call) {
    if (learning.wants_time()) {
      ASSERT_FALSE(learning.passes_check(device, {45e-6, 45e-6, true})) << call;
      decides = learning.note_time(device, "", {45e-6, 45e-6, true});
    }
    learning.note_product(device, "");
  }
  EXPECT_TRUE(decides);
  EXPECT_LE(call, 16) << "four looks with three calls between them";
  EXPECT_EQ(learning.ledger().cost(device, "")->seconds, 45e-6);
}

TEST(Dispatcher, OfAShortTimeOnADeviceTheLaunchIsNotCounted) {
  const State device = nth_state(2);
  const State host = nth_state(0);
  ASSERT_TRUE(host.space.is_host() && !device.space.is_host());
  const auto cost = [](State state, double seconds) {
    return Dispatcher::without_launch(state, {seconds, seconds}).computed;
  };
  EXPECT_NEAR(cost(device, 40e-6), 30e-6, 1e-9);
  EXPECT_NEAR(cost(device, 12e-6), 6e-6, 1e-9) << "half of it at most";
  EXPECT_NEAR(cost(device, 60e-6), 60e-6, 1e-9);
  EXPECT_NEAR(cost(host, 40e-6), 40e-6, 1e-9);
  EXPECT_NEAR(Dispatcher::without_launch(device, {40e-6, 40e-6, true}).computed, 38.5e-6, 1e-9)
      << "it waited in the queue";
}

}  // namespace
}  // namespace switchyard
