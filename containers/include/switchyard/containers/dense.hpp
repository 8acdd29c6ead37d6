// The dense format: every element, row by row.
#pragma once

#include <switchyard/containers/array.hpp>
#include <switchyard/containers/format_facts.hpp>
#include <tuple>

namespace switchyard {

/// A `rows` x `cols` matrix in row-major order. Element (i, j) is `values[i * cols + j]`.
template <Element T>
struct Dense {
  /// The format of this struct.
  static constexpr Format format = Format::Dense;

  Index rows = 0;   ///< number of rows
  Index cols = 0;   ///< number of columns
  Array<T> values;  ///< rows * cols elements

  /// An uninitialised matrix in `memory`. Throws `Error(OutOfRange)` when rows * cols * sizeof(T)
  /// overflows or a size is negative.
  [[nodiscard]] static Dense sized(
      Index rows, Index cols, const std::shared_ptr<MemorySpace>& memory = plain_host_memory()) {
    return {rows, cols, Array<T>(checked_product(rows, cols), memory)};
  }

  /// The arrays of the matrix, for transfers and accounting.
  auto arrays() { return std::tie(values); }
  /// The same for a const matrix.
  auto arrays() const { return std::tie(values); }
  /// The same matrix without its arrays.
  [[nodiscard]] Dense header() const { return {rows, cols, {}}; }
  /// Elements kept, zeros included.
  [[nodiscard]] Index slots() const noexcept { return values.size(); }
  /// Throws `Error(InvalidArgument)` if the arrays do not fit the header.
  void check() const {
    if (checked_product(rows, cols) == values.size()) return;
    throw Error(ErrorCode::InvalidArgument, "a dense matrix needs rows x cols elements");
  }

  /// Calls visit(column, value) for the stored elements begin to end, at most, of row i, columns
  /// ascending; zeros are stored. REQUIRES: in host memory.
  template <class Visit>
  void row(Index i, const Visit& visit, Index begin = 0, Index end = whole_row) const {
    const T* const elements = values.data() + i * cols;
    const Index last = end < cols ? end : cols;
    for (Index j = begin; j < last; ++j) visit(static_cast<Column>(j), elements[j]);
  }
  /// The nonzeros of each of the rows from `first` on, as many as `lengths` has places.
  /// REQUIRES: in host memory.
  void row_lengths(Index first, std::span<Index> lengths) const noexcept;
};

/// Bytes of a dense matrix of that shape.
[[nodiscard]] double dense_bytes(const Structure& structure, Index element_bytes);

/// What the cost of a dense multiplication depends on.
inline constexpr std::array dense_multiply_terms{
    CostTerm{},                                  // the launch
    CostTerm{Quantity::Bytes},                   // streaming
    CostTerm{Quantity::Rows},                    // starting and ending a row
    CostTerm{Quantity::Elements},                // instructions on each
    CostTerm{Quantity::Cols},                    // x, where it has to travel
    CostTerm{Quantity::Bytes, Quantity::Bytes},  // a working set that gradually leaves a cache
};
/// What the cost of a conversion from or to dense depends on.
inline constexpr std::array dense_convert_terms{
    CostTerm{}, CostTerm{Quantity::Bytes}, CostTerm{Quantity::Rows}, CostTerm{Quantity::Elements}};
/// The row of the dense format.
inline constexpr FormatFacts dense_facts{
    Format::Dense, "dense", &dense_bytes, 1, dense_multiply_terms, dense_convert_terms};

}  // namespace switchyard
