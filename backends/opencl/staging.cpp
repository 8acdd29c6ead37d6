// The ring of pinned buffers.
#include "staging.hpp"

#include <algorithm>
#include <cstring>
#include <switchyard/containers/threads.hpp>
#include <utility>

namespace switchyard::opencl {
namespace {

// A share below this costs more to hand out than to copy.
constexpr Index least_share = 256 << 10;
// Below this, starting a transfer costs more than its overlapping with the next copy saves.
constexpr std::size_t least_piece = 2U << 20U;

/// memcpy in as many shares as the size is worth: one thread alone copies a quarter of what a link
/// takes.
void parallel_copy(void* destination, const void* source, std::size_t bytes) {
  const auto size = static_cast<Index>(bytes);
  const auto worth = static_cast<int>(std::min<Index>(size / least_share, most_threads));
  const int threads = std::clamp(worth, 1, host_threads());
  const Shares shares{.threads = threads, .of = host_threads(), .parts = threads, .bytes = size};
  // Shares end on cache lines, so that no two threads write to one.
  share_out_items(shares, size, 64, [&](Index begin, Index end) {
    std::memcpy(static_cast<std::byte*>(destination) + begin,
                static_cast<const std::byte*>(source) + begin,
                static_cast<std::size_t>(end - begin));
  });
}

}  // namespace

StagingRing::StagingRing(cl::Context context, cl::CommandQueue queue, std::size_t chunk_bytes,
                         std::size_t chunks)
    : context_(std::move(context)),
      queue_(std::move(queue)),
      chunk_bytes_(chunk_bytes),
      slots_(chunks) {}

StagingRing::~StagingRing() {
  try {
    for (Slot& slot : slots_) {
      if (slot.memory) queue_.enqueueUnmapMemObject(slot.buffer, slot.memory);
    }
    if (slots_[0].memory) queue_.finish();
  } catch (const cl::Error&) {
    // The device is lost, and its buffers with it.
  }
}

bool StagingRing::prepare() {
  const std::lock_guard lock(mutex_);
  if (prepared_) return false;
  for (Slot& slot : slots_) {
    if (slot.memory) continue;  // an earlier attempt came this far
    slot.buffer = cl::Buffer(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, chunk_bytes_);
    slot.memory = static_cast<std::byte*>(
        queue_.enqueueMapBuffer(slot.buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, chunk_bytes_));
  }
  prepared_ = true;
  return true;
}

void StagingRing::wait(Slot& slot) {
  const cl::Event last = std::exchange(slot.last, cl::Event());
  try {
    last.wait();
  } catch (const cl::Error& error) {
    // Whatever the code, it is of work asked for before.
    throw cl::Error(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, error.what());
  }
}

StagingRing::Slot& StagingRing::next() {
  Slot& slot = slots_[next_];
  next_ = (next_ + 1) % slots_.size();
  if (slot.last()) wait(slot);
  return slot;
}

std::size_t StagingRing::piece_for(std::size_t bytes) const {
  const std::size_t share = (bytes / slots_.size() + 4095) / 4096 * 4096;
  return std::clamp(share, std::min(least_piece, chunk_bytes_), chunk_bytes_);
}

void StagingRing::write(cl_mem buffer, std::size_t offset, const void* source, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const cl::Buffer destination(buffer, true);
  const std::size_t whole = piece_for(bytes);
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t piece = std::min(whole, bytes - done);
    Slot& slot = next();
    parallel_copy(slot.memory, static_cast<const std::byte*>(source) + done, piece);
    queue_.enqueueWriteBuffer(destination, CL_FALSE, offset + done, piece, slot.memory, nullptr,
                              &slot.last);
    queue_.flush();
    done += piece;
  }
}

void StagingRing::read(cl_mem buffer, std::size_t offset, void* destination, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const cl::Buffer source(buffer, true);
  const std::size_t whole = piece_for(bytes);
  std::size_t asked = 0;
  const auto ask = [&] {
    Slot& slot = next();
    const std::size_t piece = std::min(whole, bytes - asked);
    queue_.enqueueReadBuffer(source, CL_FALSE, offset + asked, piece, slot.memory, nullptr,
                             &slot.last);
    queue_.flush();
    asked += piece;
  };
  std::size_t oldest = next_;  // the ring turns: what is asked first arrives first
  for (std::size_t i = 0; i < slots_.size() && asked < bytes; ++i) ask();
  for (std::size_t done = 0; done < bytes;) {
    Slot& slot = slots_[oldest];
    const std::size_t piece = std::min(whole, bytes - done);
    wait(slot);
    parallel_copy(static_cast<std::byte*>(destination) + done, slot.memory, piece);
    done += piece;
    oldest = (oldest + 1) % slots_.size();
    if (asked < bytes) ask();
  }
}

}  // namespace switchyard::opencl
