// What has no limit.
#pragma once

#include <limits>

namespace switchyard {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace switchyard
