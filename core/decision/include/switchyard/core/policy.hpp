// Where the next product is computed while nobody says how many are to come.
#pragma once

#include <optional>
#include <switchyard/core/plan.hpp>
#include <vector>

namespace switchyard {

/// What has happened to one content of a matrix since it was last changed.
struct Course {
  std::vector<State> origin;  ///< where it was before its first product
  std::optional<State> at;    ///< where the last product was computed
  Index calls = 0;            ///< products made so far
  double spent_seconds = 0;   ///< what they and the ways to them have cost
  bool operator==(const Course&) const = default;
};

/// Where to compute the next product, and until when that stands.
struct Choice {
  State target;  ///< where to compute it
  /// Once so many products have been made, another state will be worth going to; absent: never.
  std::optional<Index> until_calls = {};
  /// The total is held below so many times the best choice in hindsight, whenever it ends.
  double bound = 1;
};

/// The rule for an unknown number of products, as good as any that does not know the future.
///
/// Against the best single state in hindsight, OPT(t) = min over v of way(origin, v) + t x cost(v).
/// A schedule is a sequence of ever cheaper states, each entered as soon as the total, the way and
/// one product there included, is at most r OPT: entering one earlier never makes the total larger
/// later, so that no other times need be looked at (the argument of Augustine, Irani and Swamy,
/// *Optimal power-down strategies*, 2004, for their problem, here with copies that are kept). All
/// schedules are tried; r is 2, or where no schedule keeps to that, the least that one does keep
/// to. Of the schedules that do, the one with the least product of ratios total / OPT at doubling
/// numbers of calls is followed.
///
/// With two states r is 2 at most. With more it can be above 2.5 whatever the rule (see
/// docs/decisions/0012).
///
/// `yard` is priced from where the matrix now is; its horizon does not matter. Throws
/// `Error(DeviceUnavailable)` where no node can be reached.
[[nodiscard]] Choice choose_for_unknown_calls(const Yard& yard, const Course& course);

}  // namespace switchyard
