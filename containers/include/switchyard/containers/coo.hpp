// The coordinate format: the row, the column and the value of each stored element.
#pragma once

#include <switchyard/containers/format_facts.hpp>
#include <switchyard/containers/offsets.hpp>
#include <tuple>

namespace switchyard {

/// The first element in row i or in a later one, of elements in these rows; their number if there
/// is none. REQUIRES: in host memory, ascending.
[[nodiscard]] Index first_in_row(const Offsets& row_indices, Index i) noexcept;

/// A `rows` x `cols` matrix of `nnz` stored elements in coordinates (COO). Element k is in row
/// row_indices[k] and column columns[k]. The elements are sorted by row, and within a row by
/// column, strictly: `columns` and `values` are those of `Csr`.
template <Element T>
struct Coo {
  /// The format of this struct.
  static constexpr Format format = Format::Coo;

  Index rows = 0;         ///< number of rows
  Index cols = 0;         ///< number of columns
  Index nnz = 0;          ///< number of stored elements
  Offsets row_indices;    ///< nnz; the row of each stored element, ascending
  Array<Column> columns;  ///< nnz; of each stored element
  Array<T> values;        ///< nnz; the stored elements

  /// An uninitialised matrix in `memory`, its row indices as wide as `rows` needs. Throws
  /// `Error(OutOfRange)` when a size is negative or too large.
  [[nodiscard]] static Coo sized(Index rows, Index cols, Index nnz,
                                 const std::shared_ptr<MemorySpace>& memory = plain_host_memory());

  /// The arrays of the matrix, for transfers and accounting.
  auto arrays() { return std::tie(row_indices, columns, values); }
  /// The same for a const matrix.
  auto arrays() const { return std::tie(row_indices, columns, values); }
  /// The same matrix without its arrays.
  [[nodiscard]] Coo header() const { return {rows, cols, nnz, {}, {}, {}}; }
  /// Elements kept: there is no padding.
  [[nodiscard]] Index slots() const noexcept { return nnz; }
  /// Throws `Error(InvalidArgument)` if the arrays do not fit the header. REQUIRES: in host
  /// memory.
  void check() const;

  /// Calls visit(column, value) for the stored elements begin to end, at most, of row i, columns
  /// ascending. Searches for the row. REQUIRES: in host memory.
  template <class Visit>
  void row(Index i, const Visit& visit, Index begin = 0, Index end = whole_row) const {
    std::visit(
        [&](const auto& row_of) {
          const Index first = first_in_row(row_indices, i);
          for (Index k = first; k < nnz && row_of[k] == i && k - first < end; ++k) {
            if (k - first >= begin) visit(columns[k], values[k]);
          }
        },
        row_indices);
  }
  /// The nonzeros of each of the rows from `first` on, as many as `lengths` has places. Searches
  /// for the first of them. REQUIRES: in host memory.
  void row_lengths(Index first, std::span<Index> lengths) const noexcept;
};

/// Bytes of a COO matrix of that shape and that many nonzeros.
[[nodiscard]] double coo_bytes(const Structure& structure, Index element_bytes);

/// What the cost of a COO multiplication depends on.
inline constexpr std::array coo_multiply_terms{
    CostTerm{},                                    // the launch
    CostTerm{Quantity::Bytes},                     // streaming
    CostTerm{Quantity::Rows},                      // ending a row
    CostTerm{Quantity::Nonzeros},                  // instructions on each
    CostTerm{Quantity::Changes},                   // rows whose end a processor mispredicts
    CostTerm{Quantity::Gathered},                  // lines of x, wherever they are
    CostTerm{Quantity::Cols},                      // x, where it has to travel
    CostTerm{Quantity::Gathered, Quantity::Cols},  // lines of x that a longer x evicts from a cache
    CostTerm{Quantity::Bytes, Quantity::Bytes},    // a working set that gradually leaves a cache
};
/// What the cost of a conversion from or to COO depends on.
inline constexpr std::array coo_convert_terms{
    CostTerm{}, CostTerm{Quantity::Bytes}, CostTerm{Quantity::Rows}, CostTerm{Quantity::Nonzeros}};
/// The row of COO.
inline constexpr FormatFacts coo_facts{Format::Coo,      "coo", &coo_bytes, 3, coo_multiply_terms,
                                       coo_convert_terms};

}  // namespace switchyard
