// What a stopwatch tells of a queue.
#include <atomic>
#include <switchyard/backends/vector_operations.hpp>
#include <thread>

#include "opencl_fixture.hpp"

namespace switchyard::opencl::testing {
namespace {

class OpenClStopwatch : public OnDevice {
 protected:
  /// Enqueues work that takes the longer the larger `array` is.
  static void work_on(Array<float>& array) {
    find_elementwise<float>(Elementwise::Add, Backend::OpenCL)
        ->run(*devices().front(), {.a = 1.0F, .z = &array});
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

// Commands change queues where a stopwatch starts and stops.
TEST_F(OpenClStopwatch, WorkStaysInOrderWhileOthersAreTimed) {
  Executor& executor = *devices().front();
  std::atomic<int> wrong{0};
  const auto count_up = [&](bool timed) {
    const auto stopwatch = executor.make_stopwatch();
    Array<float> numbers = on_device(std::vector<float>(5000, 0));
    for (int i = 1; i <= 100; ++i) {
      if (timed) stopwatch->start();
      work_on(numbers);
      if (timed && i % 3 != 0) stopwatch->stop();  // else it is started again
      if (i % 10 != 0) continue;
      const Array<float> here = transferred(numbers, plain_host_memory());
      for (const float number : here.span()) wrong += number != static_cast<float>(i);
      numbers = on_device(std::vector<float>(5000, static_cast<float>(i)));
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(count_up, t % 2 == 0);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
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
