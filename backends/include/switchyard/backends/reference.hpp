// The answer to compare others with: sequential, in long double.
#pragma once

#include <span>
#include <switchyard/containers/formats.hpp>
#include <vector>

namespace switchyard {

/// One row of y = alpha A x + beta y in long double, with what an error bound needs.
struct ReferenceRow {
  long double value = 0;      ///< the exact product, as nearly as long double holds it
  long double magnitude = 0;  ///< (|alpha| |A| |x|)_i
  long double kept = 0;       ///< |beta y_i|
  Index terms = 0;            ///< stored nonzeros of the row
};

/// y = alpha A x + beta y by rows. With beta == 0, y is not read. REQUIRES: in host memory, x of
/// cols elements, y of rows elements (or empty where beta == 0).
template <Element T>
[[nodiscard]] std::vector<ReferenceRow> reference_multiply(const Storage<T>& matrix, T alpha,
                                                           std::span<const T> x, T beta,
                                                           std::span<const T> y);

/// The largest |got_i - expected_i| as a multiple of what rounding allows:
/// g(k+2) (|alpha||A||x|)_i + g(2) |beta y_i| + (k+2) m, with k the nonzeros of row i,
/// g(n) = n u / (1 - n u), u the unit roundoff and m the smallest normal number (Higham, Accuracy
/// and Stability of Numerical Algorithms, section 3.1). At most 1 for a correct product; infinite
/// where one is NaN or infinite and the other is not the same. 0 for an empty product.
template <Element T>
[[nodiscard]] double worst_error(std::span<const ReferenceRow> expected, std::span<const T> got);

}  // namespace switchyard
