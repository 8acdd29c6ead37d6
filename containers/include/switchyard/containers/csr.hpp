// The compressed sparse row format.
#pragma once

#include <ranges>
#include <span>
#include <switchyard/containers/format_facts.hpp>
#include <switchyard/containers/offsets.hpp>
#include <tuple>
#include <vector>

namespace switchyard {

/// A `rows` x `cols` matrix of `nnz` stored elements. Row i has columns[k] and values[k] for k in
/// [offsets[i], offsets[i + 1]). Columns ascend strictly within a row.
template <Element T>
struct Csr {
  /// The format of this struct.
  static constexpr Format format = Format::Csr;

  Index rows = 0;         ///< number of rows
  Index cols = 0;         ///< number of columns
  Index nnz = 0;          ///< number of stored elements
  Offsets offsets;        ///< rows + 1; the beginning of each row in the other two
  Array<Column> columns;  ///< nnz; of each stored element
  Array<T> values;        ///< nnz; the stored elements, row by row

  /// An uninitialised matrix in `memory`, its offsets as wide as `nnz` needs. Throws
  /// `Error(OutOfRange)` when a size is negative or too large.
  [[nodiscard]] static Csr sized(Index rows, Index cols, Index nnz,
                                 const std::shared_ptr<MemorySpace>& memory = plain_host_memory());

  /// Offset i. REQUIRES: in host memory, 0 <= i <= rows.
  [[nodiscard]] Index offset(Index i) const { return offset_at(offsets, i); }

  /// The arrays of the matrix, for transfers and accounting.
  auto arrays() { return std::tie(offsets, columns, values); }
  /// The same for a const matrix.
  auto arrays() const { return std::tie(offsets, columns, values); }
  /// The same matrix without its arrays.
  [[nodiscard]] Csr header() const { return {rows, cols, nnz, {}, {}, {}}; }
  /// Elements kept: there is no padding.
  [[nodiscard]] Index slots() const noexcept { return nnz; }
  /// Throws `Error(InvalidArgument)` if the arrays do not fit the header. REQUIRES: in host
  /// memory.
  void check() const;

  /// Calls visit(column, value) for the stored elements begin to end, at most, of row i, columns
  /// ascending. REQUIRES: in host memory.
  template <class Visit>
  void row(Index i, const Visit& visit, Index begin = 0, Index end = whole_row) const {
    const Index first = offset(i);
    const Index length = offset(i + 1) - first;
    const Index last = first + (end < length ? end : length);
    for (Index k = first + begin; k < last; ++k) visit(columns[k], values[k]);
  }
  /// The nonzeros of each of the rows from `first` on, as many as `lengths` has places.
  /// REQUIRES: in host memory.
  void row_lengths(Index first, std::span<Index> lengths) const noexcept;
};

/// Bytes of a CSR matrix of that shape and that many nonzeros.
[[nodiscard]] double csr_bytes(const Structure& structure, Index element_bytes);

/// What the cost of a CSR multiplication depends on.
inline constexpr std::array csr_multiply_terms{
    CostTerm{},                    // the launch
    CostTerm{Quantity::Bytes},     // streaming
    CostTerm{Quantity::Rows},      // starting and ending a row
    CostTerm{Quantity::Nonzeros},  // instructions on each
    CostTerm{Quantity::Gathered},  // lines of x, wherever they are
    CostTerm{Quantity::Longest},   // the last thread to finish
    CostTerm{Quantity::Spread},    // uneven rows
    CostTerm{Quantity::Uneven},    // the same, where the mean decides who shares a row
    CostTerm{Quantity::Changes},   // rows whose end a processor mispredicts
    CostTerm{Quantity::Cols},      // x, where it has to travel
    CostTerm{Quantity::Gathered, Quantity::Cols},  // lines of x that a longer x evicts from a cache
    CostTerm{Quantity::Rows, Quantity::Longest},   // rows that wait for the longest of their group
    CostTerm{Quantity::Bytes, Quantity::Bytes},    // a working set that gradually leaves a cache
};
/// What the cost of a conversion from or to CSR depends on.
inline constexpr std::array csr_convert_terms{
    CostTerm{},                    // the launch, or waking threads
    CostTerm{Quantity::Bytes},     // streaming
    CostTerm{Quantity::Rows},      // starting and ending a row
    CostTerm{Quantity::Nonzeros},  // instructions on each
    CostTerm{Quantity::Longest},   // the last thread to finish
};
/// The row of CSR.
inline constexpr FormatFacts csr_facts{Format::Csr,      "csr", &csr_bytes, 3, csr_multiply_terms,
                                       csr_convert_terms};

/// One stored element in coordinate form.
template <Element T>
struct Triplet {
  Index row = 0;  ///< from 0
  Index col = 0;  ///< from 0
  T value{};      ///< of the element
};

/// Makes a CSR matrix from triplets in any order. Duplicates are summed. Throws `Error(OutOfRange)`
/// for an index outside the shape, or if the columns do not fit in 32 bits.
template <Element T>
[[nodiscard]] Csr<T> csr_from_triplets(Index rows, Index cols,
                                       std::span<const Triplet<T>> triplets);

/// Makes a CSR matrix from arrays: `offsets` of rows + 1, `columns` and `values` of equal size.
/// Columns and values are moved, offsets are copied. Throws `Error(InvalidArgument)` if offsets do
/// not ascend from 0 to the number of values, or columns do not ascend strictly within a row.
/// Throws `Error(OutOfRange)` if a column is outside the shape.
template <Element T>
[[nodiscard]] Csr<T> csr_from_arrays(Index rows, Index cols, std::span<const Index> offsets,
                                     std::vector<Column> columns, std::vector<T> values);

/// The memory of a vector, a span, a `std::array` or the like.
template <class Range>
concept ContiguousArray = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range>;

/// A CSR matrix on arrays of the caller, without a copy: `offsets` of rows + 1, `columns` and
/// `values` of equal size, `std::vector<int>` for instance. REQUIRES: the arrays stay alive and
/// unchanged for as long as the matrix, and all that is made of it. A `GMatrix` made of it reads
/// them and never writes to them. Reads the arrays once to check them: throws what
/// `csr_from_arrays` throws, and `Error(OutOfRange)` for 2^31 or more values, which need offsets
/// of 64 bits.
template <Element T>
[[nodiscard]] Csr<T> csr_view(Index rows, Index cols, std::span<const std::int32_t> offsets,
                              std::span<const Column> columns, std::span<const T> values);
/// The same with offsets of 64 bits, which are copied in 32 bits where those suffice.
template <Element T>
[[nodiscard]] Csr<T> csr_view(Index rows, Index cols, std::span<const std::int64_t> offsets,
                              std::span<const Column> columns, std::span<const T> values);
/// The same, the element type being that of `values`.
template <class Offsets, class Columns, ContiguousArray Values>
requires Element<std::ranges::range_value_t<Values>>
[[nodiscard]] Csr<std::ranges::range_value_t<Values>> csr_view(Index rows, Index cols,
                                                               const Offsets& offsets,
                                                               const Columns& columns,
                                                               const Values& values) {
  return csr_view<std::ranges::range_value_t<Values>>(
      rows, cols, std::span(std::ranges::data(offsets), std::ranges::size(offsets)),
      std::span(std::ranges::data(columns), std::ranges::size(columns)),
      std::span(std::ranges::data(values), std::ranges::size(values)));
}

}  // namespace switchyard
