// Costs that grow with the number of calls, and how exactly they can be compared.
#pragma once

#include <limits>

namespace switchyard {

/// The cost of what cannot be reached.
inline constexpr double endless = std::numeric_limits<double>::infinity();

/// So many calls are never made: beyond, a difference per call is no more than rounding.
inline constexpr double never = 1e12;

/// The same costs, added up in another order, differ by less than this share of them.
inline constexpr double rounding = 1e-12;

/// A total as a function of the number of calls: fixed + calls x rate.
struct CostLine {
  double fixed = 0;  ///< seconds that are paid once
  double rate = 0;   ///< seconds for each call
  /// The total for so many calls.
  [[nodiscard]] double at(double calls) const noexcept { return fixed + calls * rate; }
};

}  // namespace switchyard
