// The memory of one OpenCL device; an allocation's handle is its cl_mem.
#pragma once

#include <memory>
#include <string>
#include <switchyard/backends/executor.hpp>

#include "buffer_pool.hpp"
#include "cl.hpp"
#include "derived_data.hpp"
#include "health.hpp"
#include "in_order_queue.hpp"
#include "staging.hpp"

namespace switchyard::opencl {

/// Memory of a device, read and written through one in-order queue. Keeps the context and the queue
/// alive for as long as an array lives here. All members may be called from any thread; they throw
/// `Error`.
class DeviceMemory final : public MemorySpace {
 public:
  /// Where the device does not share the host's memory, transfers cross the link through a ring of
  /// pinned buffers.
  DeviceMemory(Space space, cl::Context context, std::shared_ptr<InOrderQueue> queue,
               const ExecutorFacts& facts);

  void copy_in(void* allocation, std::size_t offset, const void* source,
               std::size_t bytes) override;
  void copy_out(void* destination, const void* allocation, std::size_t offset,
                std::size_t bytes) override;
  void trim() noexcept override { pool_.shrink_to(0); }

  /// Bytes that are free but kept for the next allocations. They and what is used stay within the
  /// budget together.
  [[nodiscard]] std::size_t pooled() const noexcept { return pool_.bytes(); }
  [[nodiscard]] Health& health() const noexcept { return health_; }
  /// What kernels keep beside arrays of this memory.
  [[nodiscard]] DerivedData& derived() noexcept { return derived_; }
  /// How many buffers have been given back to the driver so far.
  [[nodiscard]] std::uint64_t releases() const noexcept { return pool_.releases(); }

 protected:
  void* do_allocate(std::size_t bytes) override;
  void do_release(void* allocation, std::size_t bytes) noexcept override;

 private:
  /// The ring, ready for use and counted as this space's own.
  StagingRing& ring();
  [[nodiscard]] cl_mem new_buffer(std::size_t bytes);
  /// Bytes that may stay in the pool beside what is used.
  [[nodiscard]] std::size_t room_for_pool() const noexcept;

  cl::Context context_;
  std::shared_ptr<InOrderQueue> queue_;
  std::string name_;  ///< the device's, for errors
  mutable Health health_;
  std::size_t memory_bytes_;
  std::size_t largest_allocation_;
  bool staged_;
  BufferPool pool_;
  StagingRing ring_;
  DerivedData derived_;
};

}  // namespace switchyard::opencl
