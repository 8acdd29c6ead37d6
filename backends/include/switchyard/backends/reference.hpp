// The reference multiplication that all others are tested against: sequential, in long double.
#pragma once

#include <span>
#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/request.hpp>
#include <vector>

namespace switchyard {

/// One row of y = alpha A x + beta y in long double, with the quantities of its error bound.
struct ReferenceRow {
  long double value = 0;      ///< the result of the row in long double
  long double magnitude = 0;  ///< (|alpha| |A| |x|)_i
  long double kept = 0;       ///< |beta y_i|
  Index terms = 0;            ///< stored nonzeros of the row
};

/// y = alpha A x + beta y, or with the transpose of A, for one column or several: x, y and the
/// result are row-major. With beta == 0, y is not read. REQUIRES: the matrix in host memory, x and
/// y of as many rows as `x_rows` and `y_rows` say (y may be empty if beta == 0).
template <Element T>
[[nodiscard]] std::vector<ReferenceRow> reference_multiply(const Storage<T>& matrix, T alpha,
                                                           std::span<const T> x, T beta,
                                                           std::span<const T> y,
                                                           const Request& request = {});

/// The largest error |got_i - expected_i| relative to its rounding bound. A correct result has at
/// most 1, an empty one 0. It is infinite if one of the two is NaN or infinite and the other
/// differs. The bound is g(k+2) (|alpha||A||x|)_i + g(2) |beta y_i| + (k+2) m, with k the nonzeros
/// of row i, g(n) = n u / (1 - n u), u the unit roundoff and m the smallest normal number (Higham,
/// Accuracy and Stability of Numerical Algorithms, section 3.1).
template <Element T>
[[nodiscard]] double worst_error(std::span<const ReferenceRow> expected, std::span<const T> got);

}  // namespace switchyard
