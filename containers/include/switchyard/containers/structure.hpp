// What is known of one matrix: its shape and how its nonzeros are spread.
#pragma once

#include <array>
#include <limits>
#include <switchyard/containers/row_view.hpp>

namespace switchyard {

template <Element T>
struct Dense;

/// One NaN for each format: no slot count is known.
inline constexpr std::array<double, number_of_formats> unknown_slots = [] {
  std::array<double, number_of_formats> slots{};
  slots.fill(std::numeric_limits<double>::quiet_NaN());
  return slots;
}();

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
  /// By `Format`: slots kept for nonzeros in that format, padding included (`FormatFacts::slots`).
  /// NaN: not known, or the format needs no such number.
  std::array<double, number_of_formats> slots = unknown_slots;

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

/// What is known of a sparse matrix after one look: all row lengths are read, of the columns one in
/// 64 is looked at, in at most 256 rows. The slot counts of all formats are filled in.
[[nodiscard]] Structure structure_of_rows(const RowView& rows);
/// `structure_of_rows` of a matrix in any sparse format. REQUIRES: in host memory.
template <StoredMatrix Matrix>
[[nodiscard]] Structure structure_of(const Matrix& matrix) {
  return structure_of_rows(rows_of_matrix(matrix));
}

/// Counts every nonzero: one read of the matrix, in parallel. The slot counts of all formats are
/// filled in. REQUIRES: in host memory.
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

/// Fills in the slot counts that are not known yet: from the rows, or, where `rows` is null,
/// estimated. For structures that were put together by hand; those above are complete.
void complete(Structure& structure, const RowView* rows = nullptr);

}  // namespace switchyard
