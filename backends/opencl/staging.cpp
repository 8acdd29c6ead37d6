// The ring of pinned buffers.
#include "staging.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <switchyard/containers/copy_shares.hpp>
#include <switchyard/containers/threads.hpp>
#include <thread>
#include <utility>

namespace switchyard::opencl {
namespace {

// Below this, starting a transfer costs more than its overlapping with the next copy saves.
constexpr std::size_t least_piece = 2U << 20U;
// What a thread copies at a time of what is sent: some 20 us' work.
constexpr std::size_t step_bytes = 128U << 10U;
// From here on the threads are called for several pieces at once. On an H200 a new copy of 68 MB
// then arrives in 2.0 ms instead of 2.5, and 64 MB that the cache has in 1.95 instead of 1.80. 4 MB
// that are sent again and again would take 0.36 ms instead of 0.23: their first piece starts later.
constexpr std::size_t worth_batches = 16U << 20U;
constexpr std::size_t most_in_batch = 4;

/// As many shares as copying so much is worth: one thread alone copies a quarter of what a link
/// takes.
Shares shares_of_copy(std::size_t bytes) {
  const auto size = static_cast<Index>(bytes);
  const auto worth =
      static_cast<int>(std::min<Index>(size / bytes_per_copying_thread, most_threads));
  const int threads = std::clamp(worth, 1, host_threads());
  return {.threads = threads, .of = host_threads(), .parts = threads, .bytes = size};
}

void parallel_copy(void* destination, const void* source, std::size_t bytes) {
  // Shares end on cache lines, so that no two threads write to one.
  share_out_items(shares_of_copy(bytes), static_cast<Index>(bytes), 64,
                  [&](Index begin, Index end) {
                    std::memcpy(static_cast<std::byte*>(destination) + begin,
                                static_cast<const std::byte*>(source) + begin,
                                static_cast<std::size_t>(end - begin));
                  });
}

}  // namespace

/// Neighbouring pieces of a transfer to the device. The threads are called once for all of them:
/// between two calls they would go to sleep, and waking them takes as long as copying a piece.
class StagingRing::Batch {
 public:
  /// Pieces of `whole` bytes, but for the last.
  Batch(InOrderQueue& queue, const Destination& destination, std::size_t whole)
      : queue_(queue), destination_(destination), steps_of_piece_(steps_in(whole)) {}

  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  /// REQUIRES: size() < most_in_batch.
  void add(Slot& slot, std::size_t begin, std::size_t bytes) noexcept {
    pieces_[count_].slot = &slot;
    pieces_[count_].begin = begin;
    pieces_[count_].bytes = bytes;
    ++count_;
    bytes_ += bytes;
  }

  /// Returns once everything is copied and on its way.
  void send(const std::byte* source) {
    const auto caller = std::this_thread::get_id();
    const std::size_t steps = (count_ - 1) * steps_of_piece_ + steps_in(pieces_[count_ - 1].bytes);
    std::atomic<std::size_t> next{0};
    share_out(shares_of_copy(bytes_), [&](int) {
      for (std::size_t step = next++; step < steps; step = next++) {
        copy(source, step);
        if (std::this_thread::get_id() == caller) send_copied();
      }
    });
    send_copied();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  struct Piece {
    Slot* slot = nullptr;
    std::size_t begin = 0;  // in the transfer
    std::size_t bytes = 0;
    std::atomic<std::size_t> copied{0};  // steps
  };

  static std::size_t steps_in(std::size_t bytes) noexcept {
    return (bytes + step_bytes - 1) / step_bytes;
  }

  void copy(const std::byte* source, std::size_t step) noexcept {
    Piece& piece = pieces_[step / steps_of_piece_];
    const std::size_t begin = step % steps_of_piece_ * step_bytes;
    const std::size_t bytes = std::min(step_bytes, piece.bytes - begin);
    std::memcpy(piece.slot->memory + begin, source + piece.begin + begin, bytes);
    piece.copied.fetch_add(1, std::memory_order_release);
  }

  /// Starts the transfers of the pieces that are copied, one after another. The threads must not
  /// throw, so that a failure is kept.
  void send_copied() noexcept {
    for (; sent_ < count_ && !failure_; ++sent_) {
      Piece& piece = pieces_[sent_];
      if (piece.copied.load(std::memory_order_acquire) < steps_in(piece.bytes)) return;
      try {
        queue_.enqueue([&](const cl::CommandQueue& queue) {
          queue.enqueueWriteBuffer(destination_.buffer, CL_FALSE, destination_.offset + piece.begin,
                                   piece.bytes, piece.slot->memory, nullptr, &piece.slot->last);
          queue.flush();
        });
      } catch (...) {
        failure_ = std::current_exception();
      }
    }
  }

  InOrderQueue& queue_;
  const Destination& destination_;
  std::size_t steps_of_piece_;
  std::array<Piece, most_in_batch> pieces_;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  std::size_t sent_ = 0;
  std::exception_ptr failure_;
};

StagingRing::StagingRing(cl::Context context, InOrderQueue& queue, std::size_t chunk_bytes,
                         std::size_t chunks)
    : context_(std::move(context)), queue_(queue), chunk_bytes_(chunk_bytes), slots_(chunks) {}

StagingRing::~StagingRing() {
  try {
    for (Slot& slot : slots_) {
      if (slot.memory) queue_.current().enqueueUnmapMemObject(slot.buffer, slot.memory);
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
    slot.memory = static_cast<std::byte*>(queue_.current().enqueueMapBuffer(
        slot.buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, chunk_bytes_));
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
  const Destination destination{cl::Buffer(buffer, true), offset};
  const std::size_t whole = piece_for(bytes);
  // Half of the slots, so that the link carries the other half meanwhile.
  const std::size_t most = std::clamp<std::size_t>(slots_.size() / 2, 1, most_in_batch);
  const std::size_t pieces = bytes < worth_batches ? 1 : most;
  for (std::size_t done = 0; done < bytes;) {
    Batch batch(queue_, destination, whole);
    while (done < bytes && batch.size() < pieces) {
      const std::size_t piece = std::min(whole, bytes - done);
      batch.add(next(), done, piece);
      done += piece;
    }
    batch.send(static_cast<const std::byte*>(source));
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
    queue_.enqueue([&](const cl::CommandQueue& queue) {
      queue.enqueueReadBuffer(source, CL_FALSE, offset + asked, piece, slot.memory, nullptr,
                              &slot.last);
      queue.flush();
    });
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
