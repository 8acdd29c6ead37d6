// The rule for an unknown number of calls.
#pragma once

#include <optional>
#include <switchyard/core/plan.hpp>
#include <vector>

namespace switchyard {

/// What was done with the current contents of a matrix.
struct Course {
  std::vector<State> origin;  ///< where it was before the first call
  std::optional<State> at;    ///< where the last call was computed
  Index calls = 0;            ///< calls so far
  double spent_seconds = 0;   ///< time of these calls and of the moves
  bool operator==(const Course&) const = default;
};

/// Where to compute the next call, and how long that choice holds.
struct Choice {
  State target;  ///< the state that computes
  /// After this many calls another state will be worth its moves. Absent: never.
  std::optional<Index> until_calls = {};
  /// The total stays below this multiple of the best fixed state in hindsight, whenever it ends.
  double bound = 1;
};

/// Chooses the state for the next call if the number of calls is unknown. `yard` has the costs from
/// the current state, and its horizon is ignored. Throws `Error(DeviceUnavailable)` if no node can
/// be reached.
///
/// The total is compared with the best fixed state in hindsight, OPT(t) = min over v of
/// way(origin, v) + t x cost(v). A schedule is a sequence of states that are ever faster per call.
/// Each is entered as soon as the total, with the moves and one call there, is at most r OPT.
/// Entering a state earlier never makes the total larger later, so no other times matter (the
/// argument of Augustine, Irani and Swamy, *Optimal power-down strategies*, 2004, here with copies
/// that are kept). Of up to eight candidates all schedules are tried, of more a part
/// of them (docs/decisions/0012). r is 2, or the least bound that a schedule keeps to if
/// none keeps to 2. Of the schedules that keep to r, the one with the least sum of total / OPT at
/// doubling numbers of calls is followed, each weighted by 0.85 of the one before: what comes soon
/// is likelier to come.
///
/// With two states r is 2 at most. With more states it can be above 2.5 for every rule (see
/// docs/decisions/0012).
[[nodiscard]] Choice choose_for_unknown_calls(const Yard& yard, const Course& course);

}  // namespace switchyard
