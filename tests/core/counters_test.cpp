// Counters: what was done is counted once, and not forgotten with the matrix.
#include <gtest/gtest.h>

#include <switchyard/containers/generate.hpp>
#include <switchyard/core/runtime.hpp>
#include <thread>

#include "core/fixtures.hpp"
#include "states.hpp"

namespace switchyard {
namespace {

using testing::random_dense;

using testing::csr_host;
using testing::dense_host;

Runtime reproducible_host() {
  RuntimeOptions options = testing::host_only();
  options.reproducible = true;
  return Runtime(options);
}

Index bytes_of_copy(const GMatrix<float>& matrix, Format format) {
  return static_cast<Index>(bytes_of(matrix.copy_out(format)));
}

TEST(Counters, CountCallsSwitchesAndConversions) {
  const Runtime runtime = reproducible_host();
  const auto matrix = runtime.matrix(random_dense<float>(40, 30, 0.2, 1));
  EXPECT_EQ(matrix.counters(), Counters{});
  const Vector<float> x(30, 1.0F);
  Vector<float> y(40);
  matrix.pin(dense_host);
  for (int i = 0; i < 5; ++i) matrix.multiply(x, y);
  matrix.pin(csr_host);
  for (int i = 0; i < 5; ++i) matrix.multiply(x, y);
  matrix.pin(dense_host);
  matrix.multiply(x, y);

  const Counters counters = matrix.counters();
  EXPECT_EQ(counters.calls, 11);
  EXPECT_EQ(counters.switches, 2);
  EXPECT_EQ(counters.conversions, 1);
  EXPECT_EQ(counters.converted_bytes, bytes_of_copy(matrix, Format::Csr));
  EXPECT_EQ(counters.transfers, 0);
  EXPECT_EQ(counters.vector_bytes, 0);
  EXPECT_EQ(counters.decisions_planned + counters.decisions_remembered, 11);
  EXPECT_GE(counters.decisions_planned, 3);
  EXPECT_GE(counters.decisions_remembered, 4);
  double moving = 0;
  for (const Step& step : matrix.history()) {
    if (step.kind != StepKind::Multiply) moving += *step.measured_seconds;
  }
  EXPECT_EQ(counters.switching_seconds, moving);
  EXPECT_EQ(counters.device_failures, 0);
}

TEST(Counters, ARewrittenMatrixGoesOnCounting) {
  const Runtime runtime = reproducible_host();
  auto matrix = runtime.matrix(random_dense<float>(40, 30, 0.2, 1));
  const Vector<float> x(30, 1.0F);
  Vector<float> y(40);
  matrix.multiply(x, y);
  matrix.write_dense([](std::span<float>) {});
  matrix.multiply(x, y);
  EXPECT_EQ(matrix.counters().calls, 2);
}

TEST(Counters, ARuntimeSumsItsMatricesAndForgetsNone) {
  const Runtime runtime = reproducible_host();
  const Vector<float> x(30, 1.0F);
  Vector<float> y(40);
  Counters sum;
  const auto kept = runtime.matrix(random_dense<float>(40, 30, 0.2, 1));
  for (int m = 0; m < 3; ++m) {
    const auto matrix = runtime.matrix(random_dense<float>(40, 30, 0.2, 1));
    matrix.pin(csr_host);
    for (int i = 0; i <= m; ++i) matrix.multiply(x, y);
    sum += matrix.counters();
  }
  kept.multiply(x, y);
  sum += kept.counters();
  EXPECT_EQ(sum.calls, 7);
  EXPECT_EQ(sum.conversions, 3);
  EXPECT_EQ(runtime.counters(), sum);
}

TEST(Counters, ThreadsCountEveryProduct) {
  const Runtime runtime = reproducible_host();
  const auto matrix = runtime.matrix(random_dense<float>(40, 30, 0.2, 1));
  const Vector<float> x(30, 1.0F);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      Vector<float> y(40);
      for (int i = 0; i < 100; ++i) matrix.multiply(x, y);
    });
  }
  for (auto& thread : threads) thread.join();
  const Counters counters = runtime.counters();
  EXPECT_EQ(counters.calls, 400);
  EXPECT_EQ(counters.decisions_planned + counters.decisions_remembered, 400);
}

TEST(Counters, BytesToDevicesAreTheMatrixAndItsVectors) {
  const Runtime runtime{RuntimeOptions{}};
  if (runtime.executors().size() < 2) GTEST_SKIP() << "there is no OpenCL device";
  const auto matrix = runtime.matrix(random_dense<float>(40, 30, 0.2, 1));
  matrix.pin({Space::device(0), Format::Dense});
  const std::vector<float> x(30, 1.0F);
  std::vector<float> y(40);
  for (int i = 0; i < 3; ++i) matrix.multiply(std::span<const float>(x), std::span<float>(y));
  EXPECT_EQ(matrix.counters().transfers, 1);
  EXPECT_EQ(matrix.counters().transferred_bytes, 40 * 30 * 4);
  EXPECT_EQ(matrix.counters().vector_bytes, 3 * (30 + 40) * 4);

  // In vectors x goes there once; with a beta, y that the host wrote goes there too.
  const Vector<float> there(30, 1.0F);
  Vector<float> result(40, 1.0F);
  const Index before = matrix.counters().vector_bytes;
  for (int i = 0; i < 3; ++i) matrix.multiply(1.0F, there, 1.0F, result);
  EXPECT_EQ(matrix.counters().vector_bytes - before, (30 + 40) * 4);
}

TEST(Counters, AFailureThatTheHostMakesGoodIsCounted) {
  RuntimeOptions options;
  options.device_budget = 60'000;  // for a matrix of 40 kB, but not for x of 40 kB beside it
  const Runtime runtime(options);
  if (runtime.executors().size() < 2) GTEST_SKIP() << "there is no OpenCL device";
  const auto matrix = runtime.matrix(generate<float>({.rows = 10'000, .density = 1e-7}));
  matrix.pin({Space::device(0), Format::Csr});
  const std::vector<float> x(10'000, 1.0F);
  std::vector<float> y(10'000);
  for (int i = 0; i < 2; ++i) matrix.multiply(std::span<const float>(x), std::span<float>(y));
  const Counters counters = matrix.counters();
  EXPECT_EQ(counters.calls, 2);
  EXPECT_EQ(counters.device_failures, 2) << "room is made once, then the state is refused";
  EXPECT_EQ(counters.completed_after_failure, 1);
  EXPECT_NE(counters_text(counters).find("2 device failures, 1 call completed on the host"),
            std::string::npos);
}

TEST(Counters, TheirTextLeavesOutWhatDidNotHappen) {
  EXPECT_EQ(counters_text({.calls = 1, .decisions_planned = 1}),
            "1 call (1 planned, 0 reused a plan), 0 changes of state between calls");
  EXPECT_EQ(
      counters_text({.calls = 100,
                     .switches = 1,
                     .decisions_planned = 2,
                     .decisions_remembered = 98,
                     .conversions = 1,
                     .converted_bytes = 1 << 20,
                     .switching_seconds = 0.001}),
      "100 calls (2 planned, 98 reused a plan), 1 change of state between calls, 1 conversion "
      "(1.0 MiB), 1.00ms spent on these");
  EXPECT_EQ(
      counters_text({.calls = 2, .decisions_planned = 2, .vector_bytes = 2048}),
      "2 calls (2 planned, 0 reused a plan), 0 changes of state between calls, 2.0 KiB of x and y "
      "transferred");
}

}  // namespace
}  // namespace switchyard
