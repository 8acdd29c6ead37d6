// Calling the CUDA runtime, and its copies as a peer.
#include "cuda.hpp"

#include <fmt/format.h>

namespace switchyard::command::bench {
namespace {

// Values of cudaMemcpyKind in driver_types.h.
constexpr int host_to_device = 1;
constexpr int device_to_host = 2;

/// "13.0" for 13000.
std::string dotted(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

Cuda::Cuda()
    : library_{"libcudart.so.13", "libcudart.so.12", "libcudart.so"},
      malloc_(library_.get<int(void**, std::size_t)>("cudaMalloc")),
      free_(library_.get<int(void*)>("cudaFree")),
      memcpy_(library_.get<int(void*, const void*, std::size_t, int)>("cudaMemcpy")),
      synchronize_(library_.get<int()>("cudaDeviceSynchronize")),
      error_text_(library_.get<const char*(int)>("cudaGetErrorString")) {
  int devices = 0;
  check(library_.get<int(int*)>("cudaGetDeviceCount")(&devices), "cudaGetDeviceCount");
  if (devices == 0) throw Error(ErrorCode::Unsupported, "CUDA sees no device");
}

const Cuda& Cuda::runtime() {
  static const Cuda loaded;
  return loaded;
}

std::string Cuda::version() const {
  int runtime = 0;
  int driver = 0;
  check(library_.get<int(int*)>("cudaRuntimeGetVersion")(&runtime), "cudaRuntimeGetVersion");
  check(library_.get<int(int*)>("cudaDriverGetVersion")(&driver), "cudaDriverGetVersion");
  return fmt::format("{}, driver for {}", dotted(runtime), dotted(driver));
}

void Cuda::check(int status, const char* what) const {
  if (status == 0) return;
  throw Error(ErrorCode::Unsupported, std::string(what) + ": " + error_text_(status));
}

void* Cuda::allocate(std::size_t bytes) const {
  void* allocation = nullptr;
  check(malloc_(&allocation, bytes), "cudaMalloc");
  return allocation;
}

void Cuda::copy_in(void* device, const void* host, std::size_t bytes) const {
  check(memcpy_(device, host, bytes, host_to_device), "cudaMemcpy");
}

void Cuda::copy_out(void* host, const void* device, std::size_t bytes) const {
  check(memcpy_(host, device, bytes, device_to_host), "cudaMemcpy");
}

void Cuda::finish() const { check(synchronize_(), "cudaDeviceSynchronize"); }

PeerLibrary cudart_peer() {
  const TransferPeer copies{
      .name = "cudaMemcpy",
      .allocate = [](std::size_t bytes) { return Cuda::runtime().allocate(bytes); },
      .release = [](void* allocation) { Cuda::runtime().release(allocation); },
      .copy_in =
          [](void* device, const void* host, std::size_t bytes) {
            Cuda::runtime().copy_in(device, host, bytes);
            // Up to 64 KiB it may return before the device has them.
            Cuda::runtime().finish();
          },
      .copy_out = [](void* host, const void* device,
                     std::size_t bytes) { Cuda::runtime().copy_out(host, device, bytes); }};
  return {.name = "cudart",
          .version = Cuda::runtime().version(),
          .remark = "from ordinary memory",
          .transfers = {copies}};
}

}  // namespace switchyard::command::bench
