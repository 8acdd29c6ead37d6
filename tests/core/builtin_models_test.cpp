// What is assumed of a machine that nobody has calibrated.
#include "builtin_models.hpp"

#include <gtest/gtest.h>

#include <switchyard/backends/operations.hpp>

#include "core/fake_device.hpp"

namespace switchyard {
namespace {

/// A host of so many threads that computes nothing.
class FakeHost : public Executor {
 public:
  explicit FakeHost(int threads)
      : Executor(Backend::OpenMP, plain_host_memory(), facts_with(threads)) {}
  [[nodiscard]] bool built(std::string_view, Precision) const override { return true; }
  void build(std::string_view, Precision) override {}
  void finish() override {}

 private:
  static ExecutorFacts facts_with(int threads) {
    ExecutorFacts facts;
    facts.compute_units = threads;
    return facts;
  }
};

/// A graphics processor that computes nothing.
class FakeGpu : public testing::FakeDevice {
 public:
  explicit FakeGpu(bool shares_host_memory) : FakeDevice(facts_with(shares_host_memory)) {}

 private:
  static ExecutorFacts facts_with(bool shares_host_memory) {
    ExecutorFacts facts;
    facts.is_gpu = true;
    facts.shares_host_memory = shares_host_memory;
    return facts;
  }
};

/// A kernel of CSR in the executor's space, on the host one that uses all threads.
ModelKey csr_kernel(const Executor& executor) {
  for (const auto& operation : multiply_operations<float>()) {
    const bool is_it = operation.format == Format::Csr && operation.threads == Threads::All &&
                       operation.computes(Request{}) && operation.backend == executor.backend();
    if (is_it) {
      return multiply_key({executor.space(), Format::Csr}, Precision::Float, operation.variant);
    }
  }
  return {};
}

/// What a million of that quantity adds to the time that the last of the executors is assumed to
/// take for a multiplication.
double seconds_for(const std::vector<std::shared_ptr<Executor>>& executors, Quantity quantity) {
  const Profile profile = builtin_models({}, executors);
  const CostModel* const model = profile.find(csr_kernel(*executors.back()));
  if (!model) return 0;
  Features none;
  Features million;
  million[quantity] = 1e6;
  return model->predict(million).seconds - model->predict(none).seconds;
}

TEST(BuiltinModels, EachThreadGathersAsFast) {
  const auto gather_seconds = [](int threads) {
    return seconds_for({std::make_shared<FakeHost>(threads)}, Quantity::Gathered);
  };
  EXPECT_GT(gather_seconds(1), 0);
  for (const int threads : {2, 8, 64}) {
    EXPECT_NEAR(gather_seconds(1) / gather_seconds(threads), threads, 1e-6 * threads);
  }
}

// A transaction of its memory is 32 bytes.
TEST(BuiltinModels, OnAGpuALineCostsAs32Bytes) {
  for (const bool shares_host_memory : {false, true}) {
    const std::vector<std::shared_ptr<Executor>> executors{
        std::make_shared<FakeHost>(4), std::make_shared<FakeGpu>(shares_host_memory)};
    const double seconds_for_bytes = seconds_for(executors, Quantity::Bytes);
    EXPECT_GT(seconds_for_bytes, 0);
    EXPECT_NEAR(seconds_for(executors, Quantity::Gathered) / seconds_for_bytes, 32, 1e-4);
  }
}

}  // namespace
}  // namespace switchyard
