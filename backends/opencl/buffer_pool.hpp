// Freed buffers of a device, kept for the next allocation.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "cl.hpp"

namespace switchyard::opencl {

/// Buffers that nobody uses any more, up to a number of bytes: drivers take long to allocate (H200:
/// 0.4 ms for each GB, as long as converting it). A buffer may be handed out while commands asked
/// for earlier still use it, so all commands must go through one in-order queue. All members may be
/// called from any thread.
class BufferPool {
 public:
  explicit BufferPool(std::size_t most_bytes) : most_bytes_(most_bytes) {}
  ~BufferPool() { shrink_to(0); }
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  /// A buffer of at least `bytes`, and not much more; null where there is none.
  [[nodiscard]] cl_mem take(std::size_t bytes) noexcept;
  /// Takes over the caller's reference. What has been here longest leaves where room is needed.
  void put(cl_mem buffer) noexcept;
  /// Releases what has been here longest until no more than `bytes` are left.
  void shrink_to(std::size_t bytes) noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;
  /// How many buffers have been given back to the driver so far.
  [[nodiscard]] std::uint64_t releases() const noexcept { return releases_; }

 private:
  struct Entry {
    cl_mem buffer;
    std::size_t bytes;
  };

  void release(cl_mem buffer) noexcept;
  void release_oldest_until(std::size_t bytes) noexcept;

  std::atomic<std::uint64_t> releases_{0};
  std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;  // the oldest first
  std::size_t bytes_ = 0;
};

}  // namespace switchyard::opencl
