// What many figures come to.
#pragma once

#include <vector>

namespace switchyard::command::bench {

/// Of positive values; 0 of nothing.
[[nodiscard]] double geometric_mean(const std::vector<double>& values);

/// Where `share` of the values, in [0, 1], lie below, linear between neighbours; 0 of nothing.
[[nodiscard]] double percentile(std::vector<double> values, double share);

}  // namespace switchyard::command::bench
