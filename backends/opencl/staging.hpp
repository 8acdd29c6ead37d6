// Transfers between ordinary host memory and a device at the speed of the link.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "cl.hpp"
#include "in_order_queue.hpp"

namespace switchyard::opencl {

/// A ring of pinned buffers through which transfers pass in chunks: while the link carries one, the
/// processors copy the next. A driver reads ordinary memory at a fraction of the link's speed
/// (H200: 8 GB/s up and 16 down, against 53 and 55 from pinned memory).
///
/// Nothing is allocated before it is prepared. All members may be called from any thread, one
/// transfer at a time. They throw cl::Error.
class StagingRing {
 public:
  /// Eight chunks of 4 MB: on an H200 50 GB/s up and 53 down, with four of them 42 and 37, and no
  /// more with longer ones. A transfer of less than all chunks is cut finer.
  /// `queue` outlives the ring.
  StagingRing(cl::Context context, InOrderQueue& queue, std::size_t chunk_bytes = 4U << 20U,
              std::size_t chunks = 8);
  ~StagingRing();
  StagingRing(const StagingRing&) = delete;
  StagingRing& operator=(const StagingRing&) = delete;

  /// Allocates the buffers, unless they are; whether this call did. REQUIRED once before a
  /// transfer.
  bool prepare();
  /// Copies into `buffer`. When it returns, `source` has been read; the last chunks may still be
  /// on their way, ahead of all that the queue is asked for later.
  void write(cl_mem buffer, std::size_t offset, const void* source, std::size_t bytes);
  /// Copies out of `buffer`; complete when it returns.
  void read(cl_mem buffer, std::size_t offset, void* destination, std::size_t bytes);

  /// Bytes of pinned memory, once prepared.
  [[nodiscard]] std::size_t bytes() const noexcept { return slots_.size() * chunk_bytes_; }

 private:
  struct Slot {
    cl::Buffer buffer;
    std::byte* memory = nullptr;
    cl::Event last;  // what was last asked of the buffer; null when known to be done
  };

  /// Where a transfer goes.
  struct Destination {
    cl::Buffer buffer;
    std::size_t offset;
  };
  class Batch;

  /// Returns once nothing is in flight in the slot.
  static void wait(Slot& slot);
  /// The slot after the one given before, once nothing is in flight there.
  Slot& next();
  /// How large the pieces of a transfer are that keeps all slots in use.
  [[nodiscard]] std::size_t piece_for(std::size_t bytes) const;

  cl::Context context_;
  InOrderQueue& queue_;
  std::size_t chunk_bytes_;
  std::mutex mutex_;
  std::vector<Slot> slots_;
  std::size_t next_ = 0;
  bool prepared_ = false;
};

}  // namespace switchyard::opencl
