// What was done with one matrix: counters, history and trace.
#pragma once

#include <optional>
#include <string_view>
#include <switchyard/core/counters.hpp>
#include <switchyard/core/trace.hpp>

#include "execution/history.hpp"
#include "execution/product_timer.hpp"

namespace switchyard {

/// What finished calls that were made in the same way have in common.
struct CallFacts {
  Request request = {};           ///< what was asked for
  State target;                   ///< where they were computed
  std::string_view variant = {};  ///< by which kernel
  Index vector_bytes = 0;         ///< of x and y that travelled for each
  bool after_failure = false;     ///< a device failed each of them before
  // As they were planned:
  double predicted_seconds = 0;
  double bytes = 0;
  Reason reason = Reason::ShortestPath;

  [[nodiscard]] ProductKind kind() const noexcept { return {request, target, variant}; }
};

/// A move of the matrix that has been done.
struct FinishedMove {
  Step step;
  Reason reason = Reason::ShortestPath;
  Index bytes = 0;  ///< of the copy that it made
  Clock::time_point start;
  double seconds = 0;
};

/// The records of one matrix. Not synchronised.
class Records {
 public:
  /// With a trace, timed calls, moves and decisions are noted there as well; may be null.
  explicit Records(Trace* trace) : trace_(trace) {}

  /// So many calls have finished. REQUIRES: one of them was planned, so that nothing is allocated.
  void finished(const CallFacts& call, Index calls) noexcept;
  /// The same of one call whose contents were replaced meanwhile: counted, but not history.
  void finished_late(const CallFacts& call) noexcept;
  /// The last call recorded took that long.
  void timed(const CallFacts& call, const CallTimes& times) noexcept;
  /// A conversion or transfer is done. Throws std::bad_alloc after it has been counted, where no
  /// call was planned before.
  void moved(const FinishedMove& move);
  /// Allocates what recording a skeleton takes. Throws std::bad_alloc.
  void reserve() { history_.reserve(); }
  /// A skeleton was computed, begun at `start`, in so many seconds where that was measured, after
  /// so many bytes of x and y had travelled. REQUIRES: `reserve`.
  void computed(const Step& skeleton, TraceEvent::Clock::time_point start,
                std::optional<double> seconds, Index vector_bytes = 0);
  /// A plan was made for a call with a matrix called `subject`. Throws std::bad_alloc.
  void planned(const Plan& plan, std::string_view subject);
  /// So many calls needed no plan.
  void remembered(Index calls) noexcept { counters_.decisions_remembered += calls; }
  /// A device has failed a step or a call.
  void device_failed() noexcept { ++counters_.device_failures; }

  /// The contents changed: the history begins anew. Counters go on.
  void begin() noexcept { history_.clear(); }

  [[nodiscard]] const Counters& counters() const noexcept { return counters_; }
  [[nodiscard]] const std::vector<Step>& history() const noexcept { return history_.steps(); }
  [[nodiscard]] bool traces() const noexcept { return trace_ != nullptr; }

 private:
  void count(const CallFacts& call, Index calls) noexcept;

  Trace* trace_;
  Counters counters_;
  History history_;
  std::optional<State> last_target_;  // of the last call, whatever the contents then were
};

}  // namespace switchyard
