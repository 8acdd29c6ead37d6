// The commands of a device in one order, of which some are timed.
#pragma once

#include <atomic>
#include <mutex>

#include "cl.hpp"

namespace switchyard::opencl {

/// One in-order queue made of two of the driver's. Only the second keeps the times of its commands,
/// and takes them only while a stopwatch runs: what waits for the device takes longer there (an
/// H200, 4 KB to or from the device: 16 to 17 us, and 9 to 10 in the first; see
/// docs/decisions/0023-timed-queue.md). Where commands pass from one queue to the other, the other
/// waits for the one.
///
/// All members may be called from any thread. They throw cl::Error unless they say otherwise.
class InOrderQueue {
 public:
  InOrderQueue(const cl::Context& context, const cl::Device& device)
      : plain_(context, device), timed_(context, device, cl::QueueProperties::Profiling) {}
  InOrderQueue(const InOrderQueue&) = delete;
  InOrderQueue& operator=(const InOrderQueue&) = delete;

  /// Calls `ask` with the queue that the next command belongs to. `ask` must not wait for the
  /// device: others that enqueue would wait as well.
  template <class Ask>
  void enqueue(const Ask& ask) {
    const std::lock_guard lock(mutex_);
    ask(current());
  }
  /// The queue for a command that is done when the driver returns. It comes after all that this
  /// thread knows to have been enqueued, even if others start a stopwatch meanwhile.
  [[nodiscard]] const cl::CommandQueue& current() const noexcept {
    return timed_is_current_ ? timed_ : plain_;
  }
  /// Returns when all that has been enqueued is done.
  void finish() const { current().finish(); }

  /// From here on commands are timed. `begun` is an event of this point, or null if there is none
  /// to be had. False, and nothing is begun, where the driver fails.
  [[nodiscard]] bool start_timing(cl::Event& begun) noexcept;
  /// The end of what `start_timing` began. `ended` is an event of this point, or null.
  void stop_timing(cl::Event& ended) noexcept;

 private:
  const cl::CommandQueue plain_;
  const cl::CommandQueue timed_;
  std::atomic<bool> timed_is_current_{false};
  int stopwatches_ = 0;  // that run
  std::mutex mutex_;     // guards stopwatches_, and changes of the queue against what is enqueued
};

}  // namespace switchyard::opencl
