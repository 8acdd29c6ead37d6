// A matrix on a device where a byte costs next to nothing.
#pragma once

#include <gtest/gtest.h>

#include <switchyard/backends/operations.hpp>
#include <switchyard/containers/log.hpp>
#include <switchyard/core/trace.hpp>
#include <switchyard/switchyard.hpp>

#include "core/fixtures.hpp"

namespace switchyard::testing {

/// With `fold::min`: the least of each row's elements plus the vector's.
inline constexpr auto least_sum = [](auto a, auto x) { return a + x; };

/// A profile by which a byte takes the device next to nothing, and the host a nanosecond, as a byte
/// that is transferred takes `transferred` seconds.
inline Profile fast_device(const Fingerprint& fingerprint, double transferred) {
  std::vector<CostModel> models;
  for (const auto& operation : multiply_operations<float>()) {
    const bool on_host = operation.backend == Backend::OpenMP;
    const State state{on_host ? Space::host() : Space::device(0), operation.format};
    models.push_back(
        linear_model(multiply_key(state, operation.request(), Precision::Float, operation.variant),
                     1e-6, on_host ? 1e-9 : 1e-12));
  }
  for (const auto& operation : convert_operations<float>()) {
    const Space space = operation.backend == Backend::OpenMP ? Space::host() : Space::device(0);
    models.push_back(linear_model(
        convert_key(operation.from, operation.to, space, Precision::Float), 1e-6, 1e-9));
  }
  models.push_back(linear_model(transfer_key(Space::host(), Space::device(0)), 1e-6, transferred));
  models.push_back(linear_model(transfer_key(Space::device(0), Space::host()), 1e-6, transferred));
  return {fingerprint, std::move(models)};
}

class OnFastDevice : public ::testing::Test {
 protected:
  OnFastDevice() : trace_(std::make_shared<Trace>()), runtime_(options(trace_)) {
    runtime_.use_profile(fast_device(runtime_.fingerprint(), 1e-10));
  }
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "there is no OpenCL device on this machine";
  }
  void TearDown() override {
    set_log_sink(nullptr);
    set_log_level(LogLevel::Off);
  }
  [[nodiscard]] bool has_device() const { return runtime_.executor(Space::device(0)) != nullptr; }
  static RuntimeOptions options(const std::shared_ptr<Trace>& trace) {
    RuntimeOptions options;
    options.reproducible = true;
    options.trace = trace;
    return options;
  }
  [[nodiscard]] Vector<float> on_device(Index size, unsigned seed) const {
    const auto values = random_vector<float>(size, seed);
    return vector_in<float>(runtime_, Space::device(0), values);
  }
  /// A matrix that only the device has, in that format.
  [[nodiscard]] GMatrix<float> matrix_on_device(Format format, double density = 0.1) const {
    GMatrix<float> matrix = runtime_.matrix(random_dense<float>(300, 300, density, 1));
    matrix.bring_to({Space::device(0), format});
    for (const State state : matrix.states()) {
      if (state != State{Space::device(0), format}) matrix.evict(state);
    }
    return matrix;
  }

  std::shared_ptr<Trace> trace_;
  Runtime runtime_;
};

}  // namespace switchyard::testing
