// Timing calls on a device without waiting: one stopwatch, read when it is done.
#include "execution/product_timer.hpp"

#include <gtest/gtest.h>

#include "core/fake_device.hpp"

namespace switchyard {
namespace {

/// A stopwatch whose time is there when the test says so.
class FakeStopwatch : public Stopwatch {
 public:
  explicit FakeStopwatch(std::optional<Elapsed>& time) : time_(time) {}
  void start() noexcept override {}
  void stop() noexcept override {}
  [[nodiscard]] std::optional<Elapsed> elapsed() noexcept override { return time_; }

 private:
  std::optional<Elapsed>& time_;
};

/// A device that hands out such stopwatches.
class FakeDevice : public testing::FakeDevice {
 public:
  [[nodiscard]] std::unique_ptr<Stopwatch> make_stopwatch() override {
    ++made;
    return tells_time ? std::make_unique<FakeStopwatch>(time) : nullptr;
  }
  bool tells_time = true;
  int made = 0;
  std::optional<Elapsed> time;
};

const ProductKind on_host{{}, {Space::host(), Format::Csr}, "balanced"};
const ProductKind on_device{{}, {Space::device(0), Format::Csr}, "vector"};

TEST(ProductTimer, TheHostIsTimedByTheClock) {
  FakeDevice executor;
  ProductTimer timer;
  const TimingRequest request = timer.arranged(executor, on_host, true);
  EXPECT_TRUE(request.by_clock);
  EXPECT_FALSE(request.stopwatch);
  EXPECT_FALSE(request.awaited) << "the host is done when the call returns";
  EXPECT_EQ(executor.made, 0);
}

TEST(ProductTimer, OneCallAtATimeHasTheStopwatch) {
  FakeDevice executor;
  ProductTimer timer;
  const TimingRequest first = timer.arranged(executor, on_device, false);
  ASSERT_TRUE(first.stopwatch);
  EXPECT_FALSE(first.by_clock);
  EXPECT_FALSE(first.awaited);
  EXPECT_FALSE(timer.arranged(executor, on_device, true).stopwatch);
  EXPECT_FALSE(timer.arranged(executor, on_device, true).awaited) << "what is not timed can go on";
  executor.time = {0.5};
  EXPECT_FALSE(timer.collect()) << "the call has not been enqueued";
  timer.enqueued(first);
  executor.time.reset();
  EXPECT_FALSE(timer.collect()) << "the device is not done";
  executor.time = {0.25, true};
  const auto time = timer.collect();
  ASSERT_TRUE(time);
  EXPECT_EQ(time->time.seconds, 0.25);
  EXPECT_TRUE(time->time.queued);
  EXPECT_EQ(time->work.state, on_device.state);
  EXPECT_EQ(time->work.variant, "vector");
  EXPECT_FALSE(timer.collect()) << "it is told once";
  const TimingRequest second = timer.arranged(executor, on_device, true);
  EXPECT_TRUE(second.stopwatch);
  EXPECT_TRUE(second.awaited);
  EXPECT_EQ(executor.made, 1);
}

TEST(ProductTimer, WhatIsForgottenIsNotTold) {
  FakeDevice executor;
  ProductTimer timer;
  const TimingRequest lost = timer.arranged(executor, on_device, false);
  timer.forget();
  timer.enqueued(lost);
  executor.time = {1};
  EXPECT_FALSE(timer.collect());
  EXPECT_TRUE(timer.arranged(executor, on_device, false).stopwatch);
}

TEST(ProductTimer, AnotherDeviceHasItsOwnStopwatch) {
  FakeDevice one;
  FakeDevice other;
  ProductTimer timer;
  const TimingRequest first = timer.arranged(one, on_device, false);
  const TimingRequest second = timer.arranged(other, on_device, false);
  EXPECT_TRUE(second.stopwatch);
  EXPECT_NE(first.stopwatch, second.stopwatch);
  timer.enqueued(first);
  one.time = {1};
  other.time = {2};
  EXPECT_FALSE(timer.collect()) << "the first is nobody's any more";
  timer.enqueued(second);
  EXPECT_EQ(timer.collect()->time.seconds, 2);
}

TEST(ProductTimer, ADeviceWithoutAClockIsNotTimed) {
  FakeDevice executor;
  executor.tells_time = false;
  ProductTimer timer;
  const TimingRequest request = timer.arranged(executor, on_device, true);
  EXPECT_FALSE(request.stopwatch);
  EXPECT_FALSE(request.awaited);
}

TEST(ProductTimer, WhatIsWatchedIsWaitedFor) {
  EXPECT_TRUE(ProductTimer::watched().by_clock);
  EXPECT_TRUE(ProductTimer::watched().awaited);
  EXPECT_FALSE(ProductTimer::watched().stopwatch);
}

}  // namespace
}  // namespace switchyard
