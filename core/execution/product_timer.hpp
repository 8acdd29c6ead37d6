// Which calls are timed, by what, and when a device's answer is there.
#pragma once

#include <chrono>
#include <ctime>
#include <memory>
#include <optional>
#include <string_view>
#include <switchyard/backends/executor.hpp>

#include "execution/product_kind.hpp"

namespace switchyard {

/// The clock that calls and moves are timed by; tests bring their own.
using Clock = std::chrono::steady_clock;
using ClockFunction = Clock::time_point (*)();

[[nodiscard]] inline double seconds_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

/// The processor time of this thread so far. Takes a tenth of a microsecond.
[[nodiscard]] inline double processor_seconds() noexcept {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// How one call is to be timed.
struct TimingRequest {
  bool by_clock = false;                      ///< by the host's clock
  bool summed = false;                        ///< likewise, but only to add up what calls take
  bool by_processor = false;                  ///< and by the processor time of the calling thread
  bool awaited = false;                       ///< waiting for the call to be done
  std::shared_ptr<Stopwatch> stopwatch = {};  ///< by the device's clock; null: not
};

/// How long a call took, where that is known.
struct CallTimes {
  std::optional<double> whole = {};   ///< the travel of its vectors included
  std::optional<double> kernel = {};  ///< the kernel alone
  double waited = 0;                  ///< of the kernel's time, off the calling thread's processor
  double unhelped = 0;  ///< of the kernel's time, in parts that absent threads should have done
  Clock::time_point start = {};
};

/// The time that a device has told of an earlier call.
struct DeviceTime {
  ProductKind work;
  Elapsed time = {};
};

/// Times the calls of one matrix. On a device one call at a time among those that follow, and
/// nobody waits for it. Not synchronised.
class ProductTimer {
 public:
  /// Of a call that somebody watches: by the clock, and waited for.
  [[nodiscard]] static TimingRequest watched() noexcept {
    return {.by_clock = true, .awaited = true};
  }
  /// Of a call whose time is worth knowing: on the host by the clock; on a device by a stopwatch,
  /// unless that is still out with another call. It is `awaited` if `wait`, and then only.
  [[nodiscard]] TimingRequest arranged(Executor& executor, const ProductKind& work, bool wait);
  /// The call timed by `request` has been enqueued. Without effect where another has been arranged
  /// meanwhile.
  void enqueued(const TimingRequest& request) noexcept;
  /// The time of the last call timed by a stopwatch, once it is there. Never waits.
  [[nodiscard]] std::optional<DeviceTime> collect() noexcept;
  /// Forgets the call that is being timed; its device may have failed.
  void forget() noexcept;

 private:
  enum class Stage { Idle, Arranged, Enqueued };
  Executor* executor_ = nullptr;  // that the stopwatch is of
  std::shared_ptr<Stopwatch> stopwatch_;
  Stage stage_ = Stage::Idle;
  ProductKind work_;
};

}  // namespace switchyard
