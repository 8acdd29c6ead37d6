// Least squares with coefficients that are not negative.
#pragma once

#include <Eigen/Core>

namespace switchyard {

/// More columns than any table of candidate terms has; sizes below it need no heap.
inline constexpr int most_columns = 16;
using Gram = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, most_columns,
                           most_columns>;
using Coefficients = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, most_columns, 1>;

/// The x >= 0 that minimises |Ax - b|, given A'A and A'b: the active-set method of Lawson and
/// Hanson (Solving Least Squares Problems, 1974, chapter 23) on the normal equations (Bro and de
/// Jong, 1997), which lets one matrix of inner products serve every subset of columns and every
/// fold. Columns are scaled to unit length first; one that is zero, or that the columns already in
/// use explain, gets 0. It always ends.
[[nodiscard]] Coefficients nonnegative_least_squares(const Gram& gram, const Coefficients& right);

}  // namespace switchyard
