// The decision that is remembered, and calls that follow it with and without the matrix's lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <switchyard/backends/operations.hpp>
#include <switchyard/core/vector_traffic.hpp>

#include "execution/copies.hpp"
#include "execution/records.hpp"
#include "execution/tally.hpp"

namespace switchyard {

/// What a decision depends on and how long it holds; besides, it is forgotten whenever the copies,
/// the pin or what has failed changes.
struct PlanValidity {
  std::uint64_t runtime_version = 0;
  VectorTraffic traffic = {};
  Index until_calls = 0;  ///< it holds while fewer calls have been made
};

/// Elements of the vectors of a call.
struct VectorSizes {
  Index x = 0;
  Index y = 0;
  bool operator==(const VectorSizes&) const = default;
};

/// What was decided for calls, shared by those that are made accordingly. But for the tally it
/// does not change. It lives at least as long as a call that marks its copy as in use.
template <Element T>
struct PlannedCall {
  CallFacts facts;
  std::shared_ptr<StoredCopy<T>> copy = {};
  Executor* executor = nullptr;
  const MultiplyOperation<T>* operation = nullptr;
  bool for_caller = false;     ///< `facts.vector_bytes` hold for calls on the caller's memory
  std::uint64_t contents = 0;  ///< of the matrix that it is for, as they are numbered there
  bool sums_times = false;     ///< every call adds its time to `nanoseconds`
  PlanValidity validity = {};
  VectorSizes sizes = {};  ///< that the matrix needs
  Tally finished = {};
  std::atomic<std::int64_t> nanoseconds{0};            ///< that finished calls took, not taken yet
  std::shared_ptr<PlannedCall> forgotten_before = {};  ///< see `PlanCache`

  /// One call has finished, and took that long if it was timed. Returns what the tally returns.
  [[nodiscard]] bool add(std::optional<double> seconds) noexcept {
    if (seconds) nanoseconds.fetch_add(static_cast<std::int64_t>(*seconds * 1e9));
    return finished.add();
  }
  /// Takes the seconds that have been added since.
  [[nodiscard]] double take_seconds() noexcept {
    return sums_times ? static_cast<double>(nanoseconds.exchange(0)) * 1e-9 : 0;
  }
};

/// A call that follows a remembered decision.
template <Element T>
struct FollowingCall {
  PlannedCall<T>* planned;  ///< lives while `in_use` does
  CopyInUse<T> in_use;
};

/// The remembered decision of one series, and those forgotten that calls may still be using: a call
/// shares in none, because counting that takes as long as a quarter of deciding. Threads: `follow`
/// and `take_followed` may be called from any thread, the others by one at a time.
template <Element T>
class PlanCache {
 public:
  /// The decision, where it holds for a call in these circumstances; else null.
  [[nodiscard]] PlannedCall<T>* find(std::uint64_t runtime_version, const VectorTraffic& traffic,
                                     Index calls) const noexcept;
  /// The same beside a thread that uses the cache, which may have lost its processor for
  /// milliseconds: nobody waits for it. What the program does with vectors between calls, and how
  /// many calls have been made, is left to the calls that do not come this way.
  [[nodiscard]] std::optional<FollowingCall<T>> follow(std::uint64_t runtime_version,
                                                       const VectorTraffic& traffic,
                                                       const VectorSizes& sizes) noexcept;
  /// How many calls have followed since this was last asked.
  [[nodiscard]] Index take_followed() noexcept {
    return followed_.load(std::memory_order_relaxed) == 0 ? 0 : followed_.exchange(0);
  }
  /// REQUIRES: nothing is remembered (see `forget`).
  void remember(std::shared_ptr<PlannedCall<T>> planned) noexcept;
  /// What is remembered, whether or not it still holds; or null.
  [[nodiscard]] PlannedCall<T>* get() const noexcept { return planned_.get(); }
  /// Forgets it. It goes as soon as no call uses its copy.
  void forget() noexcept;
  /// Lets go of forgotten decisions that no call uses any more.
  void release_unused() noexcept;

 private:
  std::shared_ptr<PlannedCall<T>> planned_;
  std::shared_ptr<PlannedCall<T>> forgotten_;      // the last one, which has those before it
  std::atomic<PlannedCall<T>*> offered_{nullptr};  // `planned_`, to those who follow
  std::atomic<Index> looking_{0};                  // threads within `follow`
  std::atomic<Index> followed_{0};
};

}  // namespace switchyard
