// Kokkos' map, reduce and scan in its default space: the same work as in skeleton_benchmark, in
// bytes per second. Debian's Kokkos has one thread.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace {

using Floats = Kokkos::View<float*>;

/// Measures `run(x, y)` on vectors, which reads and writes so many of them.
template <class Run>
void measure(benchmark::State& state, std::int64_t arrays, const Run& run) {
  const std::int64_t size = state.range(0);
  const Floats x("x", static_cast<std::size_t>(size));
  const Floats y("y", static_cast<std::size_t>(size));
  Kokkos::deep_copy(x, 1.0F);
  Kokkos::deep_copy(y, 1.0F);
  for (auto _ : state) {
    run(size, x, y);
    Kokkos::fence();
  }
  state.SetBytesProcessed(state.iterations() * arrays * size * std::int64_t{sizeof(float)});
}

void copy_of(benchmark::State& state) {
  measure(state, 2,
          [](std::int64_t, const Floats& x, const Floats& y) { Kokkos::deep_copy(y, x); });
}
void map_of(benchmark::State& state) {
  measure(state, 2, [](std::int64_t size, const Floats& x, const Floats& y) {
    Kokkos::parallel_for(
        size, KOKKOS_LAMBDA(const std::int64_t i) { y(i) = x(i) > 0.5F ? 2 * x(i) : 0.0F; });
  });
}
void map_of_two(benchmark::State& state) {
  measure(state, 3, [](std::int64_t size, const Floats& x, const Floats& y) {
    Kokkos::parallel_for(
        size, KOKKOS_LAMBDA(const std::int64_t i) { y(i) = 0.5F * x(i) + 0.25F * y(i); });
  });
}
/// In double, as Switchyard adds up.
void sum_of(benchmark::State& state) {
  measure(state, 1, [](std::int64_t size, const Floats& x, const Floats&) {
    double sum = 0;
    Kokkos::parallel_reduce(
        size, KOKKOS_LAMBDA(const std::int64_t i, double& own) { own += x(i); }, sum);
    benchmark::DoNotOptimize(sum);
  });
}
void largest_of(benchmark::State& state) {
  measure(state, 1, [](std::int64_t size, const Floats& x, const Floats&) {
    float largest = 0;
    Kokkos::parallel_reduce(
        size, KOKKOS_LAMBDA(const std::int64_t i, float& own) { own = x(i) > own ? x(i) : own; },
        Kokkos::Max<float>(largest));
    benchmark::DoNotOptimize(largest);
  });
}
void prefixes_of(benchmark::State& state) {
  measure(state, 2, [](std::int64_t size, const Floats& x, const Floats& y) {
    Kokkos::parallel_scan(
        size, KOKKOS_LAMBDA(const std::int64_t i, double& before, const bool is_final) {
          before += x(i);
          if (is_final) y(i) = static_cast<float>(before);
        });
  });
}

void register_all() {
  struct Named {
    const char* name;
    void (*run)(benchmark::State&);
  };
  for (const Named& each :
       {Named{"Kokkos copy", &copy_of}, Named{"Kokkos map", &map_of},
        Named{"Kokkos map of two", &map_of_two}, Named{"Kokkos sum", &sum_of},
        Named{"Kokkos largest", &largest_of}, Named{"Kokkos prefixes", &prefixes_of}}) {
    benchmark::RegisterBenchmark(each.name, each.run)
        ->Arg(1'000'000)
        ->Arg(100'000'000)
        ->Unit(benchmark::kMicrosecond)
        ->UseRealTime();
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const Kokkos::ScopeGuard kokkos(argc, argv);
  register_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
