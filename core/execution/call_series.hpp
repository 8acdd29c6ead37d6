// The calls of one kind on one matrix: what is planned for them, and how many there were.
#pragma once

#include <switchyard/containers/request.hpp>
#include <switchyard/core/dispatcher.hpp>

#include "execution/plan_cache.hpp"
#include "execution/records.hpp"
#include "execution/work_between.hpp"

namespace switchyard {

/// `calls` and so many more, or as many as there can be.
[[nodiscard]] constexpr Index saturating_sum(Index calls, Index more) noexcept {
  constexpr Index most = std::numeric_limits<Index>::max();
  return more > most - calls ? most : calls + more;
}

/// The course of all calls with one request: each has its own number of expected calls, its own
/// remembered decision and its own vectors, while the copies of the matrix are shared. Not
/// synchronised, but for what `plans` says.
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
  /// Where the program wants these calls, whatever it wants of others.
  std::optional<State> pinned = {};

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
