// The ELLPACK-R format: every row has as many slots as the longest row needs, and its length.
#pragma once

#include <switchyard/containers/array.hpp>
#include <switchyard/containers/format_facts.hpp>
#include <tuple>

namespace switchyard {

/// A `rows` x `cols` matrix of `nnz` stored elements in ELLPACK with row lengths (ELLPACK-R:
/// Vazquez, Fernandez and Garzon, Concurrency and Computation 23, 2011). Slot k of row i is at [k *
/// rows + i], so that neighbouring rows lie side by side. The first lengths[i] slots of row i hold
/// its elements, columns ascending strictly; the others are padding: column 0, value 0.
template <Element T>
struct Ell {
  /// The value of `Format` that stands for this struct.
  static constexpr Format format = Format::Ell;

  Index rows = 0;         ///< number of rows
  Index cols = 0;         ///< number of columns
  Index nnz = 0;          ///< number of stored elements
  Index width = 0;        ///< slots of each row: the elements of the longest
  Array<Column> lengths;  ///< rows; elements of each row
  Array<Column> columns;  ///< width * rows
  Array<T> values;        ///< width * rows

  /// Uninitialised, in `memory`, with the shape and `width` of `header`. Throws
  /// `Error(OutOfRange)` if a size is negative or too large.
  [[nodiscard]] static Ell sized(const Ell& header,
                                 const std::shared_ptr<MemorySpace>& memory = plain_host_memory());

  /// The arrays of the matrix, for transfers and accounting.
  auto arrays() { return std::tie(lengths, columns, values); }
  /// The same for a const matrix.
  auto arrays() const { return std::tie(lengths, columns, values); }
  /// The same matrix without its arrays.
  [[nodiscard]] Ell header() const { return {rows, cols, nnz, width, {}, {}, {}}; }
  /// Elements kept, padding included.
  [[nodiscard]] Index slots() const noexcept { return values.size(); }
  /// Throws `Error(InvalidArgument)` if the arrays do not fit the header. REQUIRES: in host
  /// memory.
  void check() const;

  /// Calls visit(column, value) for the stored elements begin to end, at most, of row i, columns
  /// ascending. REQUIRES: in host memory.
  template <class Visit>
  void row(Index i, const Visit& visit, Index begin = 0, Index end = whole_row) const {
    const Index length = lengths[i];
    const Index last = end < length ? end : length;
    for (Index k = begin; k < last; ++k) visit(columns[k * rows + i], values[k * rows + i]);
  }
  /// The nonzeros of each of the rows from `first` on, as many as `into` has places.
  /// REQUIRES: in host memory.
  void row_lengths(Index first, std::span<Index> into) const noexcept;
};

/// Slots of a matrix of that structure in ELLPACK: see `FormatFacts::slots`.
[[nodiscard]] double ell_slots(const Structure& structure, const RowView* rows);
/// Bytes of a matrix of that structure in ELLPACK; NaN where its slots are not known.
[[nodiscard]] double ell_bytes(const Structure& structure, Index element_bytes);

/// What the cost of a multiplication depends on where rows are padded.
inline constexpr std::array padded_multiply_terms{
    CostTerm{},                                    // the launch
    CostTerm{Quantity::Bytes},                     // streaming
    CostTerm{Quantity::Rows},                      // starting and ending a row
    CostTerm{Quantity::Nonzeros},                  // instructions on each
    CostTerm{Quantity::Stored},                    // the same, where padding is walked
    CostTerm{Quantity::Gathered},                  // lines of x, wherever they are
    CostTerm{Quantity::Longest},                   // the last thread to finish
    CostTerm{Quantity::Cols},                      // x, where it has to travel
    CostTerm{Quantity::Gathered, Quantity::Cols},  // lines of x that a longer x evicts from a cache
    CostTerm{Quantity::Bytes, Quantity::Bytes},    // a working set that gradually leaves a cache
};
/// What the cost of a conversion depends on where rows are padded.
inline constexpr std::array padded_convert_terms{
    CostTerm{}, CostTerm{Quantity::Bytes}, CostTerm{Quantity::Rows}, CostTerm{Quantity::Stored}};
/// The row of ELLPACK.
inline constexpr FormatFacts ell_facts{.format = Format::Ell,
                                       .name = "ell",
                                       .bytes = &ell_bytes,
                                       .arrays = 3,
                                       .multiply_terms = padded_multiply_terms,
                                       .convert_terms = padded_convert_terms,
                                       .slots = &ell_slots};

}  // namespace switchyard
