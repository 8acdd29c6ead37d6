// The SELL-C-sigma format: slices of rows of about the same length, each padded to its longest.
#pragma once

#include <switchyard/containers/array.hpp>
#include <switchyard/containers/ell.hpp>
#include <switchyard/containers/format_facts.hpp>
#include <tuple>

namespace switchyard {

/// The parameters of SELL-C-sigma: C and sigma.
struct SellShape {
  Index height = 0;  ///< rows of a slice (C)
  Index window = 0;  ///< rows that are sorted together (sigma): a power of two, and of whole slices
};

/// The rows of the largest window of any of these formats.
inline constexpr Index largest_sell_window = 1024;

/// The parameters that `format` stands for. REQUIRES: one of the SELL formats.
[[nodiscard]] constexpr SellShape sell_shape(Format format) noexcept {
  return format == Format::Sell8 ? SellShape{8, 256} : SellShape{32, largest_sell_window};
}

/// A `rows` x `cols` matrix of `nnz` stored elements in SELL-C-sigma (Kreutzer, Hager, Wellein,
/// Fehske and Bishop, SIAM Journal on Scientific Computing 36, 2014). Within each window of rows,
/// rows are put in descending order of their lengths. The row at position p is row order[p] of its
/// window; equal lengths keep their order. Slices of `height` positions are padded to their longest
/// row: slot k of position p, in slice s, is at [(starts[s] + k) * height + p % height]. The first
/// lengths[p] slots hold the row's elements, columns ascending strictly; the others are padding:
/// column 0, value 0. Positions from `rows` on have no row.
template <Element T>
struct Sell {
  Format format = Format::Sell32;  ///< which SELL format: fixes C and sigma
  Index rows = 0;                  ///< number of rows
  Index cols = 0;                  ///< number of columns
  Index nnz = 0;                   ///< number of stored elements
  Array<Index> starts;             ///< slices + 1; the slots of a row before each slice
  Array<Column> order;             ///< rows; within the window, by position
  Array<Column> lengths;           ///< slices * height; elements of each row, by position
  Array<Column> columns;           ///< starts[slices] * height
  Array<T> values;                 ///< starts[slices] * height

  /// C and sigma.
  [[nodiscard]] SellShape shape() const noexcept { return sell_shape(format); }
  /// Slices of `height` rows, the last of them perhaps not whole.
  [[nodiscard]] Index slices() const noexcept {
    return (rows + shape().height - 1) / shape().height;
  }
  /// Uninitialised, in `memory`, with the shape of `header`, but for columns and values, whose
  /// number follows from the others. Throws `Error(OutOfRange)` where a size is negative or too
  /// large.
  [[nodiscard]] static Sell sized(const Sell& header, const std::shared_ptr<MemorySpace>& memory);
  /// Adds columns and values, uninitialised, for `widths` slots of a row in all slices together.
  /// Throws as above.
  void add_slots(Index widths, const std::shared_ptr<MemorySpace>& memory);

  /// The arrays that make up the matrix, for whoever moves or counts them.
  auto arrays() { return std::tie(starts, order, lengths, columns, values); }
  /// The same of a matrix that must not change.
  auto arrays() const { return std::tie(starts, order, lengths, columns, values); }
  /// The same matrix without its arrays.
  [[nodiscard]] Sell header() const { return {format, rows, cols, nnz, {}, {}, {}, {}, {}}; }
  /// Elements kept, padding included.
  [[nodiscard]] Index slots() const noexcept { return values.size(); }
  /// Throws `Error(InvalidArgument)` where the arrays do not fit the header. REQUIRES: in host
  /// memory.
  void check() const;

  /// Calls visit(column, value) for the stored elements begin to end, at most, of row i, columns
  /// ascending. Looks for the row in its window first. REQUIRES: in host memory.
  template <class Visit>
  void row(Index i, const Visit& visit, Index begin = 0, Index end = whole_row) const {
    const Index position = position_of(i);
    const Index height = shape().height;
    const Index length = lengths[position];
    const Index last = end < length ? end : length;
    const Index first_slot = starts[position / height] * height + position % height;
    for (Index k = begin; k < last; ++k) {
      visit(columns[first_slot + k * height], values[first_slot + k * height]);
    }
  }
  /// The nonzeros of each of the rows from `first` on, as many as `into` has places.
  /// REQUIRES: in host memory.
  void row_lengths(Index first, std::span<Index> into) const noexcept;
  /// Where row i is. REQUIRES: in host memory.
  [[nodiscard]] Index position_of(Index i) const noexcept;
  /// The first row, and position, of the window that p is in.
  [[nodiscard]] Index window_of(Index p) const noexcept { return p & ~(shape().window - 1); }
  /// The row at position p < rows. REQUIRES: in host memory.
  [[nodiscard]] Index row_at(Index p) const noexcept { return window_of(p) + order[p]; }
};

/// Slots of a matrix of that structure with slices and windows of that shape: see
/// `FormatFacts::slots`.
[[nodiscard]] double sell_slots(SellShape shape, const Structure& structure, const RowView* rows);
/// Bytes of a matrix of that structure in that format; NaN where its slots are not known.
[[nodiscard]] double sell_bytes(Format format, const Structure& structure, Index element_bytes);

/// The row of a SELL format.
template <Format format>
[[nodiscard]] constexpr FormatFacts sell_facts(std::string_view name) noexcept {
  return {
      .format = format,
      .name = name,
      .bytes = [](const Structure& structure,
                  Index element_bytes) { return sell_bytes(format, structure, element_bytes); },
      .arrays = 5,
      .multiply_terms = padded_multiply_terms,
      .convert_terms = padded_convert_terms,
      .slots = [](const Structure& structure,
                  const RowView* rows) { return sell_slots(sell_shape(format), structure, rows); },
      .walks_rows = true};
}

}  // namespace switchyard
