// From one queue of the driver to the other and back.
#include "in_order_queue.hpp"

namespace switchyard::opencl {
namespace {

/// An event of all that `queue` has been asked for so far; null where the driver gives none.
cl::Event marker_in(const cl::CommandQueue& queue) noexcept {
  cl_event marker = nullptr;
  if (::clEnqueueMarkerWithWaitList(queue(), 0, nullptr, &marker) != CL_SUCCESS) return {};
  return cl::Event(marker);
}

/// What `next` is asked for from now on comes after all that `before` has been asked for.
bool put_behind(const cl::CommandQueue& next, const cl::CommandQueue& before) noexcept {
  const cl::Event last = marker_in(before);
  // Without a flush the other queue might wait for what never starts.
  return last() && ::clFlush(before()) == CL_SUCCESS &&
         ::clEnqueueBarrierWithWaitList(next(), 1, &last(), nullptr) == CL_SUCCESS;
}

/// By swapping: assigning throws where the driver does not take the old event back.
void put(cl::Event& place, cl::Event event) noexcept { std::swap(place(), event()); }

}  // namespace

bool InOrderQueue::start_timing(cl::Event& begun) noexcept {
  put(begun, {});
  const std::lock_guard lock(mutex_);
  if (!timed_is_current_) {
    // What goes wrong here goes wrong again with the next command, which tells.
    if (!put_behind(timed_, plain_)) return false;
    timed_is_current_ = true;
  }
  ++stopwatches_;
  put(begun, marker_in(timed_));
  return true;
}

void InOrderQueue::stop_timing(cl::Event& ended) noexcept {
  // Before others that hold the lock enqueue more: their work is no part of the time.
  put(ended, marker_in(timed_));
  const std::lock_guard lock(mutex_);
  --stopwatches_;
  // Where the way back fails, commands stay in this queue, and in order, until the next stopwatch.
  if (stopwatches_ == 0 && put_behind(plain_, timed_)) timed_is_current_ = false;
}

}  // namespace switchyard::opencl
