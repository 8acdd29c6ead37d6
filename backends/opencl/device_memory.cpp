// Buffers and transfers of one device.
#include "device_memory.hpp"

#include "errors.hpp"

namespace switchyard::opencl {
namespace {

// Up to here a read straight into ordinary memory takes no longer than one through the ring.
constexpr std::size_t small_read = 64U << 10U;

cl_mem buffer_of(const void* allocation) {
  return static_cast<cl_mem>(const_cast<void*>(allocation));
}

}  // namespace

DeviceMemory::DeviceMemory(Space space, cl::Context context, cl::CommandQueue queue,
                           const ExecutorFacts& facts)
    : MemorySpace(space),
      context_(std::move(context)),
      queue_(std::move(queue)),
      name_(facts.name),
      memory_bytes_(facts.memory_bytes),
      staged_(!facts.shares_host_memory),
      ring_(context_, queue_) {}

StagingRing& DeviceMemory::ring() {
  if (ring_.prepare()) charge(ring_.bytes());
  return ring_;
}

void* DeviceMemory::do_allocate(std::size_t bytes) {
  if (bytes > memory_bytes_) {
    // NVIDIA's driver would accept it here, and fail where the buffer is first used.
    throw Error(ErrorCode::DeviceOutOfMemory,
                std::to_string(bytes) + " bytes are more than the device has", name_);
  }
  return translating(name_, [&] {
    cl::Buffer buffer(context_, CL_MEM_READ_WRITE, bytes);
    return static_cast<void*>(std::exchange(buffer(), nullptr));
  });
}

void DeviceMemory::do_release(void* allocation, std::size_t /*bytes*/) noexcept {
  // Commands in flight keep what they use; a failure to release leaves nothing to be done.
  ::clReleaseMemObject(buffer_of(allocation));
}

void DeviceMemory::copy_in(void* allocation, std::size_t offset, const void* source,
                           std::size_t bytes) {
  if (bytes == 0) return;
  translating(name_, [&] {
    if (staged_) {
      ring().write(buffer_of(allocation), offset, source, bytes);
    } else {
      queue_.enqueueWriteBuffer(cl::Buffer(buffer_of(allocation), true), CL_TRUE, offset, bytes,
                                source);
    }
  });
}

void DeviceMemory::copy_out(void* destination, const void* allocation, std::size_t offset,
                            std::size_t bytes) {
  if (bytes == 0) return;
  translating(name_, [&] {
    if (staged_ && bytes > small_read) {
      ring().read(buffer_of(allocation), offset, destination, bytes);
    } else {
      queue_.enqueueReadBuffer(cl::Buffer(buffer_of(allocation), true), CL_TRUE, offset, bytes,
                               destination);
    }
  });
}

}  // namespace switchyard::opencl
