// Buffers and transfers of one device.
#include "device_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "errors.hpp"

namespace switchyard::opencl {
namespace {

// Up to here a read straight into ordinary memory takes no longer than one through the ring.
constexpr std::size_t small_read = 64U << 10U;

/// The share of a device's memory that may be kept for reuse. Nothing is kept where a device
/// computes in the host's memory, which the rest of the program may need.
std::size_t most_pooled(const ExecutorFacts& facts) {
  return facts.shares_host_memory ? 0 : facts.memory_bytes / 4;
}

cl_mem buffer_of(const void* allocation) {
  return static_cast<cl_mem>(const_cast<void*>(allocation));
}

}  // namespace

DeviceMemory::DeviceMemory(Space space, cl::Context context, std::shared_ptr<InOrderQueue> queue,
                           const ExecutorFacts& facts)
    : MemorySpace(space),
      context_(std::move(context)),
      queue_(std::move(queue)),
      name_(facts.name),
      health_(facts.name),
      memory_bytes_(facts.memory_bytes),
      largest_allocation_(facts.largest_allocation),
      staged_(!facts.shares_host_memory),
      pool_(most_pooled(facts)),
      ring_(context_, *queue_) {}

StagingRing& DeviceMemory::ring() {
  if (ring_.prepare()) charge_own(ring_.bytes());
  return ring_;
}

void* DeviceMemory::do_allocate(std::size_t bytes) {
  health_.require();
  if (bytes > memory_bytes_) {
    // NVIDIA's driver would accept it here, and fail where the buffer is first used.
    throw Error(ErrorCode::DeviceOutOfMemory,
                std::to_string(bytes) + " bytes are more than the device has", name_);
  }
  if (cl_mem const kept = pool_.take(bytes)) return kept;
  // NVIDIA's driver would notice only where the buffer is first used that there is no room.
  pool_.shrink_to(room_for_pool());
  return translating(name_, [&] {
    try {
      return static_cast<void*>(new_buffer(bytes));
    } catch (const cl::Error& error) {
      // Making room would not help. Some drivers allocate more at once than they say.
      if (error.err() == CL_INVALID_BUFFER_SIZE) {
        throw Error(ErrorCode::Unsupported,
                    fmt::format("{} bytes are more than the device allocates at once ({})", bytes,
                                largest_allocation_),
                    name_);
      }
      if (pool_.bytes() == 0) throw;
      pool_.shrink_to(0);
      return static_cast<void*>(new_buffer(bytes));
    }
  });
}

cl_mem DeviceMemory::new_buffer(std::size_t bytes) {
  // Kernels copy whole loads of 16 bytes, the last one included (bitmap_staged.cl).
  constexpr std::size_t load = 16;
  cl::Buffer buffer(context_, CL_MEM_READ_WRITE, (bytes + load - 1) / load * load);
  return std::exchange(buffer(), nullptr);
}

std::size_t DeviceMemory::room_for_pool() const noexcept {
  // A tenth is the driver's, and that of buffers somewhat larger than was asked for.
  const std::size_t most = std::min(budget(), memory_bytes_ / 10 * 9);
  const std::size_t held = used() + own();
  return most > held ? most - held : 0;
}

void DeviceMemory::do_release(void* allocation, std::size_t bytes) noexcept {
  if (health_.of_parent()) return;
  derived_.drop(allocation);
  // Commands in flight keep what they use; a failure to release leaves nothing to be done.
  pool_.put(buffer_of(allocation));
  // Buffers are larger than was asked for, and these bytes still count as used.
  pool_.shrink_to(room_for_pool() + bytes);
}

void DeviceMemory::copy_in(void* allocation, std::size_t offset, const void* source,
                           std::size_t bytes) {
  if (bytes == 0) return;
  health_.require();
  derived_.drop(allocation);
  try {
    if (staged_) {
      ring().write(buffer_of(allocation), offset, source, bytes);
    } else {
      queue_->current().enqueueWriteBuffer(cl::Buffer(buffer_of(allocation), true), CL_TRUE, offset,
                                           bytes, source);
    }
  } catch (const cl::Error& error) {
    // Both wait for work asked for before, and this is what drivers say of work that went wrong.
    const bool work_went_wrong = !staged_ && error.err() == CL_OUT_OF_RESOURCES;
    const Error reason = translated(error, name_);
    if (reason.code() == ErrorCode::DeviceOutOfMemory && !work_went_wrong) throw Error(reason);
    health_.lose(reason.what());
  }
}

void DeviceMemory::copy_out(void* destination, const void* allocation, std::size_t offset,
                            std::size_t bytes) {
  if (bytes == 0) return;
  health_.awaiting([&] {
    if (staged_ && bytes > small_read) {
      ring().read(buffer_of(allocation), offset, destination, bytes);
    } else {
      queue_->current().enqueueReadBuffer(cl::Buffer(buffer_of(allocation), true), CL_TRUE, offset,
                                          bytes, destination);
    }
  });
}

}  // namespace switchyard::opencl
