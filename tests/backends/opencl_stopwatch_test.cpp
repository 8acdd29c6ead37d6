// What a stopwatch tells of a queue.
#include <switchyard/backends/vector_operations.hpp>

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

}  // namespace
}  // namespace switchyard::opencl::testing
