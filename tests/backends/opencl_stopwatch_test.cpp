// What a stopwatch tells of a queue.
#include <atomic>
#include <switchyard/backends/vector_operations.hpp>
#include <thread>

#include "opencl_fixture.hpp"
#include "own_device.hpp"

namespace switchyard::opencl::testing {
namespace {

class OpenClStopwatch : public OnDevice {
 protected:
  /// Enqueues work that takes the longer the larger `array` is.
  static void work_on(Array<float>& array, Executor& executor = *devices().front()) {
    find_elementwise<float>(Elementwise::Add, Backend::OpenCL)
        ->run(executor, {.a = 1.0F, .z = &array});
  }

  /// The first device, which shares the host's memory or is reached over a link.
  static std::shared_ptr<Device> opened(bool shares_host_memory) {
    return open_changed(
        [&](ExecutorFacts& facts) { facts.shares_host_memory = shares_host_memory; });
  }
};

TEST_F(OpenClStopwatch, TellsWhetherTheQueueRanEmpty) {
  Executor& executor = *devices().front();
  const auto stopwatch = executor.make_stopwatch();
  if (!stopwatch) GTEST_SKIP() << "the device cannot time its work";
  Array<float> small = on_device(std::vector<float>(100));
  work_on(small);  // which builds the kernel
  executor.finish();
  EXPECT_FALSE(stopwatch->elapsed()) << "nothing was marked";

  stopwatch->start();
  executor.finish();  // past the first mark before the second is set
  work_on(small);
  stopwatch->stop();
  executor.finish();
  const auto alone = stopwatch->elapsed();
  ASSERT_TRUE(alone);
  EXPECT_GT(alone->seconds, 0);
  EXPECT_FALSE(alone->queued);

  // Where other programs hold this thread up, the device may be done with the work before.
  Array<float> large = on_device(std::vector<float>(20'000'000));
  bool queued = false;
  for (int attempt = 0; attempt < 50 && !queued; ++attempt) {
    work_on(large);
    stopwatch->start();
    work_on(small);
    stopwatch->stop();
    executor.finish();
    queued = stopwatch->elapsed().value_or(Elapsed{}).queued;
  }
  EXPECT_TRUE(queued);
}

// Commands change queues where a stopwatch starts and stops. Over a link transfers are enqueued
// without waiting, and buffers are used again.
TEST_F(OpenClStopwatch, WorkStaysInOrderWhileOthersAreTimed) {
  for (const bool shares_host_memory : {true, false}) {
    const auto device = opened(shares_host_memory);
    std::atomic<int> wrong{0};
    const auto count_up = [&](bool timed) {
      const auto stopwatch = device->make_stopwatch();
      const auto all = [&](int number) {
        return transferred(Array<float>(std::vector<float>(50'000, static_cast<float>(number))),
                           device->memory());
      };
      Array<float> numbers = all(0);
      for (int i = 1; i <= 100; ++i) {
        if (timed) stopwatch->start();
        work_on(numbers, *device);
        if (timed && i % 3 != 0) stopwatch->stop();  // else it is started again
        if (i % 5 != 0) continue;
        const Array<float> here = transferred(numbers, plain_host_memory());
        for (const float number : here.span()) wrong += number != static_cast<float>(i);
        numbers = all(i);
      }
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) threads.emplace_back(count_up, t % 2 == 0);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0) << shares_host_memory;
  }
}

TEST_F(OpenClStopwatch, WorkGoesOnWhereOneWasNeverStopped) {
  Executor& executor = *devices().front();
  Array<float> numbers = on_device(std::vector<float>(100, 1));
  executor.make_stopwatch()->start();
  work_on(numbers);
  EXPECT_EQ(transferred(numbers, plain_host_memory())[99], 2.0F);
  const auto stopwatch = executor.make_stopwatch();
  stopwatch->start();
  work_on(numbers);
  stopwatch->stop();
  EXPECT_FALSE(stopwatch->elapsed() && stopwatch->elapsed()->seconds <= 0);
  EXPECT_EQ(transferred(numbers, plain_host_memory())[99], 3.0F);
}

}  // namespace
}  // namespace switchyard::opencl::testing
