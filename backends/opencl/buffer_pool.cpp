// Keeping freed buffers.
#include "buffer_pool.hpp"

#include <algorithm>
#include <new>

namespace switchyard::opencl {
namespace {

/// Enough for the arrays of several conversions, and few enough to look through at each allocation.
constexpr std::size_t most_entries = 64;
/// Bytes beyond what was asked for that are not worth a new allocation.
constexpr std::size_t spare_bytes = 4096;

/// What may be handed out for `bytes`: an eighth more at most, since budgets count only `bytes`.
constexpr std::size_t largest_for(std::size_t bytes) noexcept {
  return bytes + std::max(bytes / 8, spare_bytes);
}

}  // namespace

cl_mem BufferPool::take(std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  auto best = entries_.end();
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->bytes < bytes || entry->bytes > largest_for(bytes)) continue;
    if (best == entries_.end() || entry->bytes < best->bytes) best = entry;
  }
  if (best == entries_.end()) return nullptr;
  const Entry found = *best;
  entries_.erase(best);
  bytes_ -= found.bytes;
  return found.buffer;
}

void BufferPool::put(cl_mem buffer) noexcept {
  std::size_t bytes = 0;
  const bool known =
      ::clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, nullptr) == CL_SUCCESS;
  const std::lock_guard lock(mutex_);
  if (!known || bytes > most_bytes_) {
    release(buffer);
    return;
  }
  release_oldest_until(most_bytes_ - bytes);
  try {
    entries_.push_back({buffer, bytes});
    bytes_ += bytes;
  } catch (const std::bad_alloc&) {
    release(buffer);
  }
}

void BufferPool::shrink_to(std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  release_oldest_until(bytes);
}

std::size_t BufferPool::bytes() const noexcept {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void BufferPool::release(cl_mem buffer) noexcept {
  ++releases_;  // before the handle can be used again
  ::clReleaseMemObject(buffer);
}

void BufferPool::release_oldest_until(std::size_t bytes) noexcept {
  auto first_kept = entries_.begin();
  for (; first_kept != entries_.end(); ++first_kept) {
    const auto left = static_cast<std::size_t>(entries_.end() - first_kept);
    if (bytes_ <= bytes && left < most_entries) break;
    // Commands in flight keep what they use.
    release(first_kept->buffer);
    bytes_ -= first_kept->bytes;
  }
  entries_.erase(entries_.begin(), first_kept);
}

}  // namespace switchyard::opencl
