// What is known of one matrix: its shape and how its nonzeros are spread.
#pragma once

#include <switchyard/containers/numbers.hpp>

namespace switchyard {

template <Element T>
struct Dense;
template <Element T>
struct Csr;

/// Facts that cost models are fed with. All lengths are in stored nonzeros.
struct Structure {
  Index rows = 0;            ///< number of rows
  Index cols = 0;            ///< number of columns
  Index nnz = 0;             ///< stored nonzeros; an estimate where `exact` is false
  Index longest_row = 0;     ///< most nonzeros in one row (of those looked at)
  Index empty_rows = 0;      ///< rows without any (scaled up where sampled)
  double row_deviation = 0;  ///< standard deviation of the row lengths
  /// Distinct 64-byte lines of x that a row touches and the row before did not, per nonzero.
  double lines_per_nonzero = 1;
  bool exact = true;     ///< counted, not sampled
  double nnz_error = 0;  ///< half width of a 95 % confidence interval of nnz; 0 when exact

  /// Nonzeros by elements; 0 without elements.
  [[nodiscard]] double density() const noexcept {
    const double elements = static_cast<double>(rows) * static_cast<double>(cols);
    return elements > 0 ? static_cast<double>(nnz) / elements : 0.0;
  }
  /// Nonzeros by rows; 0 without rows.
  [[nodiscard]] double mean_row() const noexcept {
    return rows > 0 ? static_cast<double>(nnz) / static_cast<double>(rows) : 0.0;
  }
};

/// Row lengths are read from the offsets; of the columns one in 64 is looked at, in at most 256
/// rows. REQUIRES: in host memory.
template <Element T>
[[nodiscard]] Structure structure_of(const Csr<T>& matrix);

/// Counts every nonzero: one read of the matrix, in parallel. REQUIRES: in host memory.
template <Element T>
[[nodiscard]] Structure structure_of(const Dense<T>& matrix);

/// Looks at about one element in a hundred, but at a thousand at least, and at all of a matrix of
/// up to 4096: evenly spaced stretches of evenly spaced rows, with a confidence interval for the
/// nonzeros.
/// REQUIRES: in host memory.
template <Element T>
[[nodiscard]] Structure sampled_structure_of(const Dense<T>& matrix);

/// What is expected of a matrix that nobody has, its nonzeros spread evenly over rows and columns;
/// not exact. The longest row is that of a normal distribution. REQUIRES: a density in [0, 1].
template <Element T>
[[nodiscard]] Structure even_structure(Index rows, Index cols, double density);

}  // namespace switchyard
