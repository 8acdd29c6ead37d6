// What x and y, and the work done with them, cost in one space.
#pragma once

#include <switchyard/core/planner.hpp>

namespace switchyard {

/// What the vectors add to the calls made in one space, whatever kernel makes them.
struct VectorCosts {
  double seconds = 0;       ///< for each call
  double once_seconds = 0;  ///< for the first
  double travel_bytes = 0;  ///< between spaces, for each call
};

/// The bytes of x in the situation.
[[nodiscard]] double x_bytes(const Situation& situation) noexcept;
/// The bytes of y.
[[nodiscard]] double y_bytes(const Situation& situation) noexcept;

/// What the vectors add to calls in that space. What the program will do with x and y is known as a
/// share of the calls only; what has to be brought there now, because it is not there, is certain.
[[nodiscard]] VectorCosts vector_costs(const Situation& situation, const Profile& profile,
                                       const SpaceOutlook& outlook);

}  // namespace switchyard
