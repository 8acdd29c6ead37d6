// Skeletons on long vectors, in every space, beside plain loops: bytes per second.
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <string>
#include <switchyard/switchyard.hpp>
#include <type_traits>
#include <vector>

using namespace switchyard;

namespace {

using Floats = Vector<float>;

const Runtime& runtime() {
  static const Runtime kept;
  return kept;
}

/// A vector that is valid in that space only.
Floats vector_in(Space space, Index size) {
  Floats vector(size, 1.0F);
  static_cast<void>(vector.target_in(runtime().executor(space)->memory(), true));
  vector.combined_in(space);
  return vector;
}

/// Measures `run(x, y)` on vectors of `size` elements, which reads and writes so many of them. What
/// gives a number is done when it returns.
template <class Run>
void measure(benchmark::State& state, Space space, Index arrays, const Run& run) {
  const Index size = state.range(0);
  const Floats x = vector_in(space, size);
  Floats y = vector_in(space, size);
  run(x, y);  // kernels are built, pages are there
  Executor& executor = *runtime().executor(space);
  executor.finish();
  for (auto _ : state) {
    if constexpr (std::is_void_v<std::invoke_result_t<Run, const Floats&, Floats&>>) {
      run(x, y);
      executor.finish();
    } else {
      benchmark::DoNotOptimize(run(x, y));
    }
  }
  state.SetBytesProcessed(state.iterations() * arrays * size * Index{sizeof(float)});
}

void map_of(benchmark::State& state, Space space) {
  measure(state, space, 2, [](const Floats& x, Floats& y) {
    map(
        runtime(), y, [](auto a) { return where(a > 0.5F, 2 * a, 0.0F); }, x);
  });
}
void map_of_three(benchmark::State& state, Space space) {
  measure(state, space, 3, [](const Floats& x, Floats& y) {
    map(
        runtime(), y, [](auto a, auto b) { return 0.5F * a + 0.25F * b; }, x, y);
  });
}
void sum_of(benchmark::State& state, Space space) {
  measure(state, space, 1,
          [](const Floats& x, Floats&) { return reduce(runtime(), fold::plus, x); });
}
void largest_of(benchmark::State& state, Space space) {
  measure(state, space, 1,
          [](const Floats& x, Floats&) { return reduce(runtime(), fold::max, x); });
}
void prefixes_of(benchmark::State& state, Space space) {
  measure(state, space, 2, [](const Floats& x, Floats& y) { scan(runtime(), fold::plus, y, x); });
}
/// The library's own kernels for the same traffic, which are written by hand.
void axpby_of(benchmark::State& state, Space space) {
  measure(state, space, 3, [](const Floats& x, Floats& y) { axpby(runtime(), 0.5F, x, 0.25F, y); });
}
void copy_of_vector(benchmark::State& state, Space space) {
  measure(state, space, 2, [](const Floats& x, Floats& y) { copy(runtime(), x, y); });
}

/// Eigen, which uses one thread.
void eigen_map(benchmark::State& state) {
  const Eigen::ArrayXf x = Eigen::ArrayXf::Ones(state.range(0));
  Eigen::ArrayXf y = x;
  for (auto _ : state) {
    y = (x > 0.5F).select(2 * x, 0.0F);
    benchmark::DoNotOptimize(y.data());
  }
  state.SetBytesProcessed(state.iterations() * 2 * state.range(0) * Index{sizeof(float)});
}
void eigen_sum(benchmark::State& state) {
  const Eigen::ArrayXf x = Eigen::ArrayXf::Ones(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(x.sum());
  state.SetBytesProcessed(state.iterations() * state.range(0) * Index{sizeof(float)});
}

void sized(benchmark::internal::Benchmark* made) {
  made->Arg(1'000'000)->Arg(100'000'000)->Unit(benchmark::kMicrosecond)->UseRealTime();
}

void register_all() {
  struct Named {
    const char* name;
    void (*run)(benchmark::State&, Space);
  };
  for (std::size_t index = 0; index < runtime().executors().size(); ++index) {
    const Space space = runtime().executors()[index]->space();
    for (const Named& each :
         {Named{"copy", &copy_of_vector}, Named{"map", &map_of}, Named{"axpby", &axpby_of},
          Named{"map of two", &map_of_three}, Named{"sum", &sum_of}, Named{"largest", &largest_of},
          Named{"prefixes", &prefixes_of}}) {
      sized(benchmark::RegisterBenchmark((name(space) + " " + each.name).c_str(), each.run, space));
    }
  }
  sized(benchmark::RegisterBenchmark("Eigen map", &eigen_map));
  sized(benchmark::RegisterBenchmark("Eigen sum", &eigen_sum));
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  register_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
