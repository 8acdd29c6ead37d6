// What calls on the host's processors lost to other programs lately, told by one matrix to the
// next.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <mutex>
#include <switchyard/core/ledger.hpp>

namespace switchyard {

/// A matrix that is new on a busy machine would be planned for as on an idle one until it was
/// measured itself, and one that was measured with one thread as if all would help at once. What
/// others of its runtime lost counts until then, less each second that passes. May be used from any
/// thread.
class RecentlySpent {
 public:
  using Clock = std::chrono::steady_clock;

  /// Notes what a matrix's recent calls took. Kernels of which it knows nothing stay as they were.
  void note(const SpentByThreads& spent, Clock::time_point now) noexcept {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < spent.size(); ++i) {
      if (spent[i].seconds > 0) noted_[i] = {spent[i], now};
    }
  }

  /// The same as it counts at that time: half of what was lost is forgotten in each second, and all
  /// of it where little is left.
  [[nodiscard]] SpentByThreads at(Clock::time_point now) const noexcept {
    const std::lock_guard lock(mutex_);
    SpentByThreads spent;
    for (std::size_t i = 0; i < spent.size(); ++i) {
      const auto& [time, when] = noted_[i];
      const double age = std::chrono::duration<double>(now - when).count();
      const double kept = std::exp2(-std::max(age, 0.0));
      if (kept < least_kept) continue;
      const double computed = time.quiet + kept * (time.computed - time.quiet);
      spent[i] = {computed + kept * (time.seconds - time.computed), computed, time.quiet};
    }
    return spent;
  }

 private:
  static constexpr double least_kept = 0.1;
  struct Noted {
    SpentTime spent = {};
    Clock::time_point when = {};
  };
  mutable std::mutex mutex_;
  std::array<Noted, std::tuple_size_v<SpentByThreads>> noted_{};
};

}  // namespace switchyard
