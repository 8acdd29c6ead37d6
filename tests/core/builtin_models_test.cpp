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

/// The kernel of CSR on the host that uses all threads.
ModelKey csr_by_all_threads() {
  for (const auto& operation : multiply_operations<float>()) {
    const bool is_it = operation.format == Format::Csr && operation.backend == Backend::OpenMP &&
                       operation.threads == Threads::All;
    if (is_it) {
      return multiply_key({Space::host(), Format::Csr}, Precision::Float, operation.variant);
    }
  }
  return {};
}

/// What it is assumed to take to gather a million lines of x by that many threads.
double gather_seconds(int threads) {
  const Profile profile = builtin_models({}, {std::make_shared<FakeHost>(threads)});
  const CostModel* const model = profile.find(csr_by_all_threads());
  if (!model) return 0;
  Features none;
  Features lines;
  lines[Quantity::Gathered] = 1e6;
  return model->predict(lines).seconds - model->predict(none).seconds;
}

TEST(BuiltinModels, EachThreadGathersAsFast) {
  EXPECT_GT(gather_seconds(1), 0);
  for (const int threads : {2, 8, 64}) {
    EXPECT_NEAR(gather_seconds(1) / gather_seconds(threads), threads, 1e-6 * threads);
  }
}

}  // namespace
}  // namespace switchyard
