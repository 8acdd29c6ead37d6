// A mutex that knows which thread has it, so that a call from inside a callback is an error.
#pragma once

#include <atomic>
#include <mutex>
#include <switchyard/containers/error.hpp>
#include <thread>

namespace switchyard {

/// A plain mutex that reports re-entry. `std::mutex` leaves a second lock by the same thread
/// undefined, and a recursive mutex lets a callback change what its caller is in the middle of.
/// All members may be called from any thread.
class OwnedMutex {
 public:
  /// Waits until no other thread has the mutex. Throws `Error(InvalidArgument)` where this thread
  /// has it already.
  void lock() {
    const std::thread::id here = std::this_thread::get_id();
    if (owner_.load(std::memory_order_relaxed) == here) {
      throw Error(ErrorCode::InvalidArgument,
                  "this matrix is in use by the call that this one is made from", {},
                  "call it after the callback has returned");
    }
    mutex_.lock();
    owner_.store(here, std::memory_order_relaxed);
  }
  /// Returns false where any thread has the mutex, this one included.
  [[nodiscard]] bool try_lock() {
    if (held_here() || !mutex_.try_lock()) return false;
    owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    return true;
  }
  /// REQUIRES: held_here().
  void unlock() noexcept {
    owner_.store({}, std::memory_order_relaxed);
    mutex_.unlock();
  }
  /// Whether this thread has the mutex. A thread sees its own stores in order, so that this needs
  /// no other synchronisation.
  [[nodiscard]] bool held_here() const noexcept {
    return owner_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }

 private:
  std::mutex mutex_;
  std::atomic<std::thread::id> owner_{};
};

/// Holds an `OwnedMutex` for as long as it lives; holds nothing where the thread has it already,
/// for members that only look and may be called from a callback.
class LookingLock {
 public:
  explicit LookingLock(OwnedMutex& mutex) : lock_(mutex, std::defer_lock) {
    if (!mutex.held_here()) lock_.lock();
  }

 private:
  std::unique_lock<OwnedMutex> lock_;
};

}  // namespace switchyard
