// What deciding costs: a remembered decision, and a new plan.
#include <benchmark/benchmark.h>

#include <switchyard/backends/operations.hpp>
#include <switchyard/switchyard.hpp>

using namespace switchyard;

namespace {

/// A product so small that what remains is the decision.
void small_product(benchmark::State& state) {
  const Runtime runtime;
  const auto matrix = runtime.matrix(generate<float>({.rows = 1}));
  const Vector<float> x(1, 1.0F);
  Vector<float> y(1);
  matrix.pin({Space::host(), Format::Csr});
  for (int i = 0; i < 100; ++i) matrix.multiply(x, y);
  for (auto _ : state) matrix.multiply(x, y);
}
BENCHMARK(small_product)->Name("remembered decision and a 1 x 1 product");

/// The product alone, by the kernel that the decision above comes to.
void small_kernel(benchmark::State& state) {
  const Runtime runtime;
  Executor& host = *runtime.executor(Space::host());
  const Storage<float> matrix = generate<float>({.rows = 1});
  const auto* const kernel = find_multiply<float>(Format::Csr, Backend::OpenMP, "balanced");
  const Array<float> x(std::vector<float>{1});
  Array<float> y(1);
  for (auto _ : state) kernel->run({host, matrix, 1.0F, x, 0.0F, y});
}
BENCHMARK(small_kernel)->Name("a 1 x 1 product by its kernel");

/// Pricing the yard and finding the shortest path, the structure being known.
void new_plan(benchmark::State& state) {
  const Runtime runtime;
  const auto matrix = runtime.matrix(generate<float>({.rows = 1000}));
  for (auto _ : state) benchmark::DoNotOptimize(matrix.plan());
  state.counters["states"] = static_cast<double>(matrix.plan().yard.nodes.size());
}
BENCHMARK(new_plan)->Name("new plan");

}  // namespace

BENCHMARK_MAIN();
