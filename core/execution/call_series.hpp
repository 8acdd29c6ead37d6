// The calls of one kind on one matrix: what is planned for them, and how many there were.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <switchyard/backends/operations.hpp>
#include <switchyard/containers/request.hpp>
#include <switchyard/core/dispatcher.hpp>

#include "execution/copies.hpp"
#include "execution/records.hpp"
#include "execution/tally.hpp"
#include "execution/work_between.hpp"

namespace switchyard {

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

/// What a decision depends on and how long it holds; besides, it is forgotten whenever the copies,
/// the pin or what has failed changes.
struct PlanValidity {
  std::uint64_t runtime_version = 0;
  VectorTraffic traffic = {};
  Index until_calls = 0;  ///< it holds while fewer calls have been made
};

/// The remembered decision of one series, and those forgotten that calls may still be using: a call
/// shares in none, because counting that takes as long as a quarter of deciding. Not synchronised.
template <Element T>
class PlanCache {
 public:
  /// The decision, where it holds for a call in these circumstances; else null.
  [[nodiscard]] PlannedCall<T>* find(std::uint64_t runtime_version, const VectorTraffic& traffic,
                                     Index calls) const noexcept;
  /// REQUIRES: nothing is remembered (see `forget`).
  void remember(std::shared_ptr<PlannedCall<T>> planned, const PlanValidity& validity) noexcept;
  /// What is remembered, whether or not it still holds; or null.
  [[nodiscard]] PlannedCall<T>* get() const noexcept { return planned_.get(); }
  /// Forgets it. It goes as soon as no call uses its copy.
  void forget() noexcept;
  /// Lets go of forgotten decisions that no call uses any more.
  void release_unused() noexcept;

 private:
  std::shared_ptr<PlannedCall<T>> planned_;
  std::shared_ptr<PlannedCall<T>> forgotten_;  // the last one, which has those before it
  PlanValidity validity_;
};

/// The course of all calls with one request: each has its own number of expected calls, its own
/// remembered decision and its own vectors, while the copies of the matrix are shared. Not
/// synchronised.
template <Element T>
class CallSeries {
 public:
  CallSeries(const Request& request, bool reproducible)
      : request_(request), dispatcher_(reproducible) {}

  [[nodiscard]] const Request& request() const noexcept { return request_; }
  [[nodiscard]] Dispatcher& dispatcher() noexcept { return dispatcher_; }
  [[nodiscard]] const Dispatcher& dispatcher() const noexcept { return dispatcher_; }
  [[nodiscard]] PlanCache<T>& plans() noexcept { return plans_; }

  /// Takes what the program did with vectors before the call that is about to be made, and returns
  /// what to plan with.
  VectorWork work_before_call(const VectorWork& work) noexcept;
  /// The traffic that the last plan was for.
  VectorTraffic traffic = {};

  /// Records the calls that have finished since, here and in `records`.
  void settle(Records& records) noexcept;
  /// Records so many finished calls, of which the tally knows nothing.
  void finished(const CallFacts& call, Index calls, Records& records) noexcept;
  /// Settles, and forgets the decision.
  void forget_plan(Records& records) noexcept;
  /// So many of the calls took so long together, whatever delayed them. That may be reason enough
  /// for another kernel in a pinned state, too.
  void spent(const CallFacts& call, Index calls, double seconds, Records& records) noexcept;
  /// One of the calls took so long; with the models or what was
  /// measured before it may be time for another decision.
  void timed(State state, std::string_view variant, const CallTime& time,
             Records& records) noexcept;

 private:
  /// Notes them in the dispatcher. Returns whether the next call should be decided anew.
  bool note(const CallFacts& call, Index calls) noexcept;
  void look_again(Records& records) noexcept;

  Request request_;
  Dispatcher dispatcher_;
  WorkBetween work_;
  PlanCache<T> plans_;
};

}  // namespace switchyard
