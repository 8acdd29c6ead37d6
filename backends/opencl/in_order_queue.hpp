// The commands of a device in one order, of which some are timed.
#pragma once

#include <atomic>
#include <mutex>
#include <shared_mutex>

#include "cl.hpp"

namespace switchyard::opencl {

/// One in-order queue made of two of the driver's. Only the second keeps the times of its commands,
/// and takes them only while a stopwatch runs: what waits for the device takes longer there (an
/// H100, a kernel and a read of 8 KB: 20.6 us, and 16.1 in the first; a write of 64 KB: 24 and
/// 17.5). Where commands pass from one queue to the other, the other waits for the one.
///
/// All members may be called from any thread. They throw cl::Error unless they say otherwise.
class InOrderQueue {
 public:
  InOrderQueue(const cl::Context& context, const cl::Device& device)
      : context_(context), device_(device), plain_(context, device) {}
  InOrderQueue(const InOrderQueue&) = delete;
  InOrderQueue& operator=(const InOrderQueue&) = delete;

  /// Calls `ask` with the queue that the next command belongs to. `ask` must not wait for the
  /// device: whoever starts a stopwatch would wait as well.
  template <class Ask>
  void enqueue(const Ask& ask) {
    const std::shared_lock lock(mutex_);
    ask(current());
  }
  /// The queue for a command that is done when the driver returns. It comes after all that this
  /// thread knows to have been enqueued, even if others start a stopwatch meanwhile.
  [[nodiscard]] const cl::CommandQueue& current() const noexcept {
    return stopwatches_ > 0 ? timed_ : plain_;
  }
  /// Returns when all that has been enqueued is done.
  void finish() const { current().finish(); }

  /// From here on commands are timed. `begun` is an event of this point, or null if there is none
  /// to be had. False, and nothing is begun, where the device cannot time.
  [[nodiscard]] bool start_timing(cl::Event& begun) noexcept;
  /// The end of what `start_timing` began. `ended` is an event of this point, or null.
  void stop_timing(cl::Event& ended) noexcept;

 private:
  cl::Context context_;
  cl::Device device_;
  cl::CommandQueue plain_;
  cl::CommandQueue timed_;           // null until it is needed
  std::atomic<int> stopwatches_{0};  // that run
  std::shared_mutex mutex_;  // shared: a command is being enqueued; exclusive: queues are changed
};

}  // namespace switchyard::opencl
