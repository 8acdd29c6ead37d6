// Carries an exception out of a parallel region, the same one whatever the threads did.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <switchyard/containers/numbers.hpp>
#include <switchyard/containers/out_of_memory.hpp>

namespace switchyard {

/// Keeps the exception of the lowest step among those that failed. An exception must not leave an
/// OpenMP region, and which of several comes first in time is a matter of luck; the lowest step is
/// not. All members may be called from any thread.
class FirstError {
 public:
  /// Runs `action` as step number `step`.
  template <class Action>
  void run(Index step, Action&& action) noexcept {
    try {
      action();
    } catch (...) {
      keep(step, std::current_exception());
    }
  }

  [[nodiscard]] bool any() const noexcept { return any_; }
  /// The step that failed. REQUIRES: any().
  [[nodiscard]] Index step() const noexcept { return step_; }

  /// Throws what was kept, if anything was. REQUIRES: outside the parallel region.
  void rethrow() const {
    if (any_) with_enough_memory([this] { std::rethrow_exception(exception_); });
  }

 private:
  void keep(Index step, std::exception_ptr exception) noexcept {
    const std::scoped_lock lock(mutex_);
    if (any_ && step_ <= step) return;
    step_ = step;
    exception_ = std::move(exception);
    any_ = true;
  }

  std::mutex mutex_;
  std::atomic<bool> any_{false};
  Index step_ = 0;
  std::exception_ptr exception_;
};

}  // namespace switchyard
