// What a product on a device really takes is noticed, and counts for more than what was predicted.
#include <gtest/gtest.h>

#include <switchyard/containers/generate.hpp>
#include <switchyard/switchyard.hpp>

#include "core/fixtures.hpp"
#include "states.hpp"

namespace switchyard {
namespace {

using testing::linear_model;

using testing::csr_device;
using testing::csr_host;

/// A runtime whose models promise, of every CSR product, so many seconds on the host and on the
/// device, where a matrix is at once.
Runtime promising(bool reproducible, double on_host, double on_device) {
  RuntimeOptions options;
  options.reproducible = reproducible;
  Runtime runtime(options);
  std::vector<CostModel> models{
      linear_model(multiply_key(csr_host, Precision::Float, "balanced"), on_host, 0),
      linear_model(transfer_key(Space::host(), Space::device(0)), 1e-9, 0),
      linear_model(transfer_key(Space::device(0), Space::host()), 1e-9, 0)};
  for (const char* variant : {"scalar", "vector", "stream", "merge"}) {
    models.push_back(
        linear_model(multiply_key(csr_device, Precision::Float, variant), on_device, 0));
  }
  runtime.use_profile({runtime.fingerprint(), std::move(models)});
  return runtime;
}

/// Products in each space of a matrix that takes a device milliseconds, of 40 with many to come.
Counters counted(const Runtime& runtime) {
  const GMatrix<float> matrix =
      runtime.matrix(generate<float>({.kind = MatrixKind::Poisson2d, .rows = 360'000}));
  matrix.expect_calls(10'000'000);
  const Vector<float> x(matrix.cols(), 1.0F);
  Vector<float> y(matrix.rows());
  for (int i = 0; i < 40; ++i) matrix.multiply(x, y);
  return matrix.counters();
}

void expect_to_stay(const Runtime& runtime) {
  if (runtime.executors().size() < 2) GTEST_SKIP() << "there is no device";
  const Counters counters = counted(runtime);
  EXPECT_EQ(counters.transfers, 1);
  EXPECT_EQ(counters.switches, 0);
}

TEST(DeviceTimes, ADeviceThatTakesMuchLongerThanItsModelIsLeft) {
  const Runtime runtime = promising(false, 70e-6, 60e-6);
  if (runtime.executors().size() < 2) GTEST_SKIP() << "there is no device";
  if (!runtime.executors()[1]->facts().on_host_processors)
    GTEST_SKIP() << "a GPU takes no longer than promised here";
  EXPECT_GE(counted(runtime).switches, 1);
}

TEST(DeviceTimes, NothingIsMeasuredWherePlansAreToBeReproducible) {
  const Runtime runtime = promising(true, 70e-6, 60e-6);
  expect_to_stay(runtime);
}

// A model may be wrong by any factor: a product that was to be shorter than the markers around it
// takes milliseconds.
TEST(DeviceTimes, AShortProductThatTakesLongIsLeft) {
  const Runtime runtime = promising(false, 2e-6, 1e-6);
  if (runtime.executors().size() < 2) GTEST_SKIP() << "there is no device";
  EXPECT_GE(counted(runtime).switches, 1);
}

}  // namespace
}  // namespace switchyard
