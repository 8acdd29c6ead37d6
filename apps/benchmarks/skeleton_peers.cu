// What skeleton_benchmark measures, by CUB and Thrust: bytes per second. Not part of the build:
//   nvcc -O3 -arch=sm_90 --extended-lambda apps/benchmarks/skeleton_peers.cu -o skeleton_peers
#include <thrust/device_vector.h>
#include <thrust/transform.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cub/cub.cuh>
#include <vector>

namespace {

/// Prints the median of 21 runs, after one that is not counted.
template <class Run>
void measure(const char* name, std::size_t size, int arrays, const Run& run) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  for (int round = 0; round < 22; ++round) {
    const auto start = Clock::now();
    run();
    cudaDeviceSynchronize();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::sort(seconds.begin() + 1, seconds.end());
  const double median = seconds[11];
  const double bytes = static_cast<double>(size) * arrays * sizeof(float);
  std::printf("{\"name\": \"%s/%zu\", \"microseconds\": %.2f, \"gigabytes_per_second\": %.1f}\n",
              name, size, 1e6 * median, bytes / median / 1e9);
}

/// Runs one of CUB's algorithms with memory of its own, allocated once.
template <class Run>
auto with_storage(const Run& run) {
  std::size_t bytes = 0;
  run(nullptr, bytes);
  void* storage = nullptr;
  cudaMalloc(&storage, bytes);
  return [=] {
    std::size_t given = bytes;
    run(storage, given);
  };
}

void measure_all(std::size_t size) {
  thrust::device_vector<float> x(size, 1.0F), y(size, 0.0F), result(1);
  const float* const in = x.data().get();
  float* const out = y.data().get();
  float* const one = result.data().get();
  const int count = static_cast<int>(size);
  float fetched = 0;
  const auto fetch = [&] { cudaMemcpy(&fetched, one, sizeof(float), cudaMemcpyDeviceToHost); };
  measure("CUDA copy", size, 2,
          [&] { cudaMemcpyAsync(out, in, size * sizeof(float), cudaMemcpyDeviceToDevice); });
  measure("Thrust map", size, 2, [&] {
    thrust::transform(x.begin(), x.end(), y.begin(),
                      [] __device__(float a) { return a > 0.5F ? 2 * a : 0.0F; });
  });
  measure("Thrust map of two", size, 3, [&] {
    thrust::transform(x.begin(), x.end(), y.begin(), y.begin(),
                      [] __device__(float a, float b) { return 0.5F * a + 0.25F * b; });
  });
  auto sum = with_storage([=](void* storage, std::size_t& bytes) {
    cub::DeviceReduce::Sum(storage, bytes, in, one, count);
  });
  measure("CUB sum", size, 1, [&] { sum(), fetch(); });
  auto largest = with_storage([=](void* storage, std::size_t& bytes) {
    cub::DeviceReduce::Max(storage, bytes, in, one, count);
  });
  measure("CUB largest", size, 1, [&] { largest(), fetch(); });
  auto prefixes = with_storage([=](void* storage, std::size_t& bytes) {
    cub::DeviceScan::InclusiveSum(storage, bytes, in, out, count);
  });
  measure("CUB prefixes", size, 2, prefixes);
}

}  // namespace

int main() {
  measure_all(1'000'000);
  measure_all(100'000'000);
}
