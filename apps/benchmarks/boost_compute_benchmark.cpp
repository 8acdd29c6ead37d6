// Boost.Compute's map, reduce and scan on every OpenCL device: the same work as in
// skeleton_benchmark, in bytes per second.
#include <benchmark/benchmark.h>

#include <boost/compute/algorithm.hpp>
#include <boost/compute/container/vector.hpp>
#include <boost/compute/function.hpp>
#include <boost/compute/functional.hpp>
#include <boost/compute/system.hpp>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace compute = boost::compute;

namespace {

/// Two vectors on a device, and the queue of all work.
struct Operands {
  Operands(const compute::device& device, std::size_t size)
      : context(device), queue(context, device), x(size, context), y(size, context) {
    compute::fill(x.begin(), x.end(), 1.0F, queue);
    compute::fill(y.begin(), y.end(), 1.0F, queue);
    queue.finish();
  }
  compute::context context;
  compute::command_queue queue;
  compute::vector<float> x;
  compute::vector<float> y;
};

/// Measures `run(operands)`, which reads and writes so many vectors.
template <class Run>
void measure(benchmark::State& state, const compute::device& device, std::int64_t arrays,
             const Run& run) {
  Operands operands(device, static_cast<std::size_t>(state.range(0)));
  run(operands);  // kernels are built
  operands.queue.finish();
  for (auto _ : state) {
    run(operands);
    operands.queue.finish();
  }
  state.SetBytesProcessed(state.iterations() * arrays * state.range(0) *
                          std::int64_t{sizeof(float)});
}

void copy_of(benchmark::State& state, const compute::device& device) {
  measure(state, device, 2,
          [](Operands& o) { compute::copy(o.x.begin(), o.x.end(), o.y.begin(), o.queue); });
}
void map_of(benchmark::State& state, const compute::device& device) {
  const auto doubled = compute::make_function_from_source<float(float)>(
      "doubled", "float doubled(float a) { return a > 0.5f ? 2 * a : 0.0f; }");
  measure(state, device, 2, [&](Operands& o) {
    compute::transform(o.x.begin(), o.x.end(), o.y.begin(), doubled, o.queue);
  });
}
void map_of_two(benchmark::State& state, const compute::device& device) {
  const auto mixed = compute::make_function_from_source<float(float, float)>(
      "mixed", "float mixed(float a, float b) { return 0.5f * a + 0.25f * b; }");
  measure(state, device, 3, [&](Operands& o) {
    compute::transform(o.x.begin(), o.x.end(), o.y.begin(), o.y.begin(), mixed, o.queue);
  });
}
/// Adds up in float.
void sum_of(benchmark::State& state, const compute::device& device) {
  measure(state, device, 1, [](Operands& o) {
    float sum = 0;
    compute::reduce(o.x.begin(), o.x.end(), &sum, compute::plus<float>(), o.queue);
    benchmark::DoNotOptimize(sum);
  });
}
void largest_of(benchmark::State& state, const compute::device& device) {
  measure(state, device, 1, [](Operands& o) {
    float largest = 0;
    compute::reduce(o.x.begin(), o.x.end(), &largest, compute::max<float>(), o.queue);
    benchmark::DoNotOptimize(largest);
  });
}
void prefixes_of(benchmark::State& state, const compute::device& device) {
  measure(state, device, 2, [](Operands& o) {
    compute::inclusive_scan(o.x.begin(), o.x.end(), o.y.begin(), o.queue);
  });
}

void register_all() {
  struct Named {
    const char* name;
    void (*run)(benchmark::State&, const compute::device&);
  };
  for (const compute::device& device : compute::system::devices()) {
    for (const Named& each :
         {Named{"copy", &copy_of}, Named{"map", &map_of}, Named{"map of two", &map_of_two},
          Named{"sum", &sum_of}, Named{"largest", &largest_of}, Named{"prefixes", &prefixes_of}}) {
      const std::string name = "Boost.Compute " + device.name() + " " + each.name;
      benchmark::RegisterBenchmark(name.c_str(), each.run, device)
          ->Arg(1'000'000)
          ->Arg(100'000'000)
          ->Unit(benchmark::kMicrosecond)
          ->UseRealTime();
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    benchmark::Initialize(&argc, argv);
    register_all();
    benchmark::RunSpecifiedBenchmarks();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "boost_compute_benchmark: error: " << error.what() << '\n';
    return 1;
  }
}
