// Centres and percentiles that a few outliers do not move.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace switchyard {

/// The median; of an even number of values the upper of the two in the middle. Reorders `values`,
/// and allocates nothing. REQUIRES: at least one value, none of them NaN.
[[nodiscard]] inline double median_reordering(std::span<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// As `median_reordering`, of a copy.
[[nodiscard]] inline double median(std::vector<double> values) { return median_reordering(values); }

/// The smallest value that at least a share of `sorted` does not exceed (nearest rank). REQUIRES:
/// ascending values, at least one; a share within [0, 1].
[[nodiscard]] inline double quantile_of_sorted(std::span<const double> sorted, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

}  // namespace switchyard
