// Which state wins over size, density and the number of products, and where that turns.
#pragma once

#include <switchyard/models/profile.hpp>

#include "report_grid.hpp"

namespace switchyard::command::report {

/// The prices that the map is drawn from, for square matrices with evenly spread nonzeros. Seconds
/// of `calls` products in a state: way + calls x (multiply + vector) where vectors travel, way +
/// first + calls x multiply where they stay; null where a price is not known.
///
/// `rows`, `densities`, `states`, `from` (the states that the matrix may be in before, the
/// first of them to be shown being `first_from`), and for each precision: `multiply[state][cell]`,
/// `way[from][state][cell]`, `vector[state][size]`, `first[state][size]`, and `beyond[state]`, for
/// each cell a 1 where the prediction is extrapolated beyond the calibrated sizes, or built in.
[[nodiscard]] Json state_map(const Profile& profile, const Grid& grid);

/// The densities at which the planner's choice turns, found by halving: for each precision, habit
/// of the vectors, start, number of `calls` and `rows` an entry with `first`, the state at the
/// lowest density, and `turns`, a list of `density` and the state it turns `to`.
[[nodiscard]] Json turning_points(const Profile& profile, const Grid& grid);

}  // namespace switchyard::command::report
