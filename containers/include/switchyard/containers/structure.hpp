// The structure of a matrix: its shape and the distribution of its nonzeros.
#pragma once

#include <array>
#include <optional>
#include <switchyard/containers/coding.hpp>
#include <switchyard/containers/row_view.hpp>

namespace switchyard {

template <Element T>
struct Dense;

/// One NaN for each format: no slot count is known.
inline constexpr std::array<double, number_of_formats> unknown_slots = [] {
  std::array<double, number_of_formats> slots{};
  slots.fill(__builtin_nan(""));
  return slots;
}();

/// Where counting distinct values ends: one more than any coding distinguishes.
inline constexpr Index most_distinct_values = dictionary8_values + 1;

/// The properties that costs are predicted from. All lengths are in stored nonzeros.
struct Structure {
  Index rows = 0;             ///< number of rows
  Index cols = 0;             ///< number of columns
  Index nnz = 0;              ///< stored nonzeros; an estimate if `exact` is false
  Index longest_row = 0;      ///< most nonzeros in one row (of those sampled)
  Index empty_rows = 0;       ///< rows without nonzeros (scaled up if sampled)
  double row_deviation = 0;   ///< standard deviation of the row lengths
  double length_changes = 0;  ///< rows that are not as long as the row before
  /// Distinct 64-byte lines of x that a row touches and the previous row did not, per nonzero.
  double lines_per_nonzero = 1;
  bool exact = true;     ///< counted, not sampled
  double nnz_error = 0;  ///< half width of a 95 % confidence interval of nnz; 0 when exact
  /// Values that differ in at least one bit, among those looked at (`count_distinct_values`). No
  /// more than `most_distinct_values` are counted. Nothing if no values were looked at.
  std::optional<Index> distinct_values = std::nullopt;
  /// By `Format`: slots kept for nonzeros in that format, padding included (`FormatFacts::slots`).
  /// NaN: not known, or the format needs no such number.
  std::array<double, number_of_formats> slots = unknown_slots;

  /// Nonzeros divided by elements. 0 without elements.
  [[nodiscard]] double density() const noexcept {
    const double elements = static_cast<double>(rows) * static_cast<double>(cols);
    return elements > 0 ? static_cast<double>(nnz) / elements : 0.0;
  }
  /// Nonzeros divided by rows. 0 without rows.
  [[nodiscard]] double mean_row() const noexcept {
    return rows > 0 ? static_cast<double>(nnz) / static_cast<double>(rows) : 0.0;
  }
};

/// The structure of a sparse matrix. All row lengths are read. Of the columns one in 64 is sampled,
/// in at most 256 rows. Distinct values are counted, and the slot counts of all formats filled in.
[[nodiscard]] Structure structure_of_rows(const RowView& rows);
/// `structure_of_rows` of a matrix in any sparse format. REQUIRES: in host memory.
template <StoredMatrix Matrix>
[[nodiscard]] Structure structure_of(const Matrix& matrix) {
  return structure_of_rows(rows_of_matrix(matrix));
}

/// The structure of a dense matrix. REQUIRES: in host memory. Counts every nonzero: one read of the
/// matrix, in parallel. The slot counts of all formats are filled in.
template <Element T>
[[nodiscard]] Structure structure_of(const Dense<T>& matrix);

/// Estimates the structure of a dense matrix, with a confidence interval for the nonzeros.
/// REQUIRES: in host memory. Samples evenly spaced parts of evenly spaced rows: about one element
/// in a hundred, at least a thousand, and all of a matrix of up to 4096 elements.
template <Element T>
[[nodiscard]] Structure sampled_structure_of(const Dense<T>& matrix);

/// The expected structure of a matrix with evenly distributed nonzeros; not exact. The longest row
/// is that of a normal distribution. REQUIRES: a density in [0, 1].
template <Element T>
[[nodiscard]] Structure even_structure(Index rows, Index cols, double density);

/// How likely a row is not as long as the one before, where row lengths are independent and have
/// that variance: that of a normal distribution for large variances, of rare nonzeros for small
/// ones.
[[nodiscard]] double chance_of_length_change(double variance) noexcept;

/// What `count_distinct_values` counts.
struct DistinctCount {
  bool all = false;            ///< whether all values are looked at
  bool without_zeros = false;  ///< whether 0 and -0 do not count: a dense matrix holds others
};

/// The number of distinct values of a matrix with `nnz` stored elements, `most_distinct_values` at
/// most. At first some 300 values are looked at, all over the matrix. If few of them are distinct,
/// so are others: all if `count.all` is set or there are no more than 4096, else one in 32, and
/// some 65,536 at most.
[[nodiscard]] Index count_distinct_values(const RowView& rows, Index nnz, DistinctCount count = {});

/// Fills in the slot counts that are not known yet, from `rows`, or estimated if `rows` is null.
/// For structures that a caller assembled: those of the functions above are complete.
void complete(Structure& structure, const RowView* rows = nullptr);

}  // namespace switchyard
