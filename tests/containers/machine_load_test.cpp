// Reading how busy the machine is, from the texts of the system and from this machine.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <switchyard/containers/machine_load.hpp>
#include <switchyard/containers/run_queue_waits.hpp>
#include <thread>
#include <vector>

namespace switchyard {
namespace {

TEST(LoadAverage, IsTheFirstAndTheFourthNumber) {
  const auto load = parse_load_average("4.31 2.50 1.05 5/1234 98765\n");
  ASSERT_TRUE(load);
  EXPECT_DOUBLE_EQ(load->one_minute, 4.31);
  EXPECT_EQ(load->running, 5);
}

TEST(LoadAverage, OfAnyOtherTextIsUnknown) {
  for (const char* text :
       {"", "\n", "4.31", "4.31 2.50 1.05", "x 2.50 1.05 5/1234 9", "-1 2.50 1.05 5/1234 9",
        "4.31 2.50 1.05 /1234 9", "4 2 1 -5/12 9", "nan 1 1 1/1 1", "\n4.31 2.50 1.05 5/1234 9"}) {
    EXPECT_FALSE(parse_load_average(text)) << text;
  }
}

TEST(ProcessorTimes, AreSummedFromTheFirstLine) {
  const auto times = parse_processor_times(
      "cpu  100 20 30 4000 500 6 7 80 100 20\ncpu0 50 10 15 2000 250 3 3 40 50 10\n", 100);
  ASSERT_TRUE(times);
  EXPECT_DOUBLE_EQ(times->busy, 1.63) << "guests' times are part of user and nice";
  EXPECT_DOUBLE_EQ(times->idle, 45);
  EXPECT_DOUBLE_EQ(times->steal, 0.8);
}

TEST(ProcessorTimes, OfAnOldKernelHaveNoSteal) {
  const auto times = parse_processor_times("cpu 100 20 30 4000\n", 100);
  ASSERT_TRUE(times);
  EXPECT_DOUBLE_EQ(times->busy, 1.5);
  EXPECT_EQ(times->steal, 0);
}

TEST(ProcessorTimes, OfAnyOtherTextAreUnknown) {
  for (const char* text : {"", "cpu", "cpu 1 2 3", "cpu0 1 2 3 4 5 6 7 8", "cpu 1 2 x 4 5 6 7 8",
                           "cpu 1 2 -3 4 5 6 7 8", "intr 1 2 3 4 5 6 7 8"}) {
    EXPECT_FALSE(parse_processor_times(text, 100)) << text;
  }
  EXPECT_FALSE(parse_processor_times("cpu 1 2 3 4 5 6 7 8", 0));
}

TEST(LoadInterval, CountsTheProcessorsThatOthersKeptBusy) {
  const double processors = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  MachineLoad before;
  before.processors = {.busy = 1000, .idle = 5000, .steal = 10};
  before.own_seconds = 7;
  // Ten seconds in which this process had half a processor, others three quarters of one.
  MachineLoad after = before;
  after.processors->busy += 12.5;
  after.processors->steal += 1;
  after.processors->idle += 10 * processors - 13.5;
  after.own_seconds += 5;
  const auto between = load_between(before, after);
  ASSERT_TRUE(between);
  EXPECT_NEAR(between->others, 0.75, 1e-9);
  EXPECT_NEAR(between->steal, 0.1, 1e-9);
}

TEST(LoadInterval, IsUnknownWithoutCountersOrTime) {
  MachineLoad load;
  EXPECT_FALSE(load_between(load, load));
  load.processors = {.busy = 1, .idle = 1, .steal = 0};
  EXPECT_FALSE(load_between(load, load)) << "no time passed";
  EXPECT_FALSE(load_between({}, load));
  // The process's clock is finer than the machine's: never less than none.
  MachineLoad after = load;
  after.processors->idle += 1;
  after.own_seconds += 0.004;
  EXPECT_EQ(load_between(load, after)->others, 0);
}

TEST(MachineLoad, OfThisMachineIsReadWithoutAnError) {
  const MachineLoad before = read_machine_load();
  double work = 0;
  for (int i = 0; i < 3'000'000; ++i) work += std::sqrt(i);
  ASSERT_GT(work, 0);
  const MachineLoad after = read_machine_load();
  EXPECT_GT(after.own_seconds, before.own_seconds);
  EXPECT_GE(after.involuntary_switches, before.involuntary_switches);
  if (before.processors) {
    EXPECT_GE(after.processors->busy, before.processors->busy);
  }
  if (before.average) {
    EXPECT_GE(before.average->running, 1) << "this process ran";
  }
}

TEST(RunQueueWait, IsTheSecondNumber) {
  EXPECT_DOUBLE_EQ(parse_run_queue_wait("23372912 4500000 51\n").value(), 0.0045);
  for (const char* text : {"", "1", "1 ", "1 2", "1 x 3\n", "1 -2 3\n", "1 2x 3\n"}) {
    EXPECT_FALSE(parse_run_queue_wait(text)) << text;
  }
}

TEST(RunQueueWait, IsOfAThreadThatIsReady) {
  EXPECT_TRUE(parse_is_ready("12 (name) R 1 12 12"));
  EXPECT_TRUE(parse_is_ready("12 (a) S (b) R 1 12 12"));
  for (const char* text :
       {"", "12", "12 (name) S 1 12", "12 (R 1) S 1", "12 (name)", "12 (name) R"}) {
    EXPECT_FALSE(parse_is_ready(text)) << text;
  }
}

TEST(RunQueueWaits, AreNeverNegative) {
  RunQueueWaits waits;
  for (int i = 0; i < 10; ++i) {
    usleep(1000);
    const double longest = waits.longest_since_last();
    EXPECT_GE(longest, 0);
    EXPECT_LT(longest, 60);
    EXPECT_TRUE(waits.known() || longest == 0);
  }
}

TEST(RunQueueWaits, CountThreadsThatBeganLater) {
  RunQueueWaits waits;
  if (!waits.known()) GTEST_SKIP() << "this system does not count waits";
  std::atomic<bool> done = false;
  // Threads that each want a whole processor, more than there are: some have to wait.
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4 * std::max(std::thread::hardware_concurrency(), 1U); ++i) {
    threads.emplace_back([&] {
      while (!done) {
      }
    });
  }
  static_cast<void>(waits.longest_since_last());
  double longest = 0;
  for (int i = 0; i < 1000 && longest < 1e-3; ++i) {
    usleep(10'000);
    longest = std::max(longest, waits.longest_since_last());
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(longest, 1e-3);
  EXPECT_TRUE(waits.known()) << "the threads have ended, this one has not";
}

}  // namespace
}  // namespace switchyard
