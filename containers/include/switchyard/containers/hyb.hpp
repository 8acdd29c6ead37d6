// The hybrid format: slots for as many elements as most rows have, and the others in coordinates.
#pragma once

#include <switchyard/containers/coo.hpp>
#include <switchyard/containers/ell.hpp>
#include <tuple>

namespace switchyard {

/// A `rows` x `cols` matrix of `nnz` stored elements, partly in ELLPACK with row lengths and partly
/// in coordinates (HYB: Bell and Garland, SC'09). Slot k of row i is at [k * rows + i]; the first
/// lengths[i] of the `width` slots of row i hold its first elements, the others are padding: column
/// 0, value 0. Elements beyond the width follow all slots, sorted by row: element r of the rest is
/// at [slots_of_rows() + r], in row rest_rows[r]. Columns ascend strictly within a row.
template <Element T>
struct Hyb {
  /// The value of `Format` that stands for this struct.
  static constexpr Format format = Format::Hyb;

  Index rows = 0;         ///< number of rows
  Index cols = 0;         ///< number of columns
  Index nnz = 0;          ///< number of stored elements
  Index width = 0;        ///< slots of each row
  Array<Column> lengths;  ///< rows; elements in the slots of each row
  Offsets rest_rows;      ///< the row of each element that has no slot, ascending
  Array<Column> columns;  ///< slots_of_rows() + rest()
  Array<T> values;        ///< slots_of_rows() + rest()

  /// Uninitialised, in `memory`, with the shape and `width` of `header`, and with `rest` elements
  /// that have no slot. Throws `Error(OutOfRange)` if a size is negative or too large.
  [[nodiscard]] static Hyb sized(const Hyb& header, Index rest,
                                 const std::shared_ptr<MemorySpace>& memory = plain_host_memory());

  /// Slots of all rows together.
  [[nodiscard]] Index slots_of_rows() const noexcept { return rows * width; }
  /// Elements that have no slot.
  [[nodiscard]] Index rest() const noexcept { return size_of(rest_rows); }

  /// The arrays of the matrix, for transfers and accounting.
  auto arrays() { return std::tie(lengths, rest_rows, columns, values); }
  /// The same for a const matrix.
  auto arrays() const { return std::tie(lengths, rest_rows, columns, values); }
  /// The same matrix without its arrays.
  [[nodiscard]] Hyb header() const { return {rows, cols, nnz, width, {}, {}, {}, {}}; }
  /// Elements kept, padding included.
  [[nodiscard]] Index slots() const noexcept { return values.size(); }
  /// Throws `Error(InvalidArgument)` if the arrays do not fit the header. REQUIRES: in host
  /// memory.
  void check() const;

  /// Calls visit(column, value) for the stored elements begin to end, at most, of row i, columns
  /// ascending. Searches for a row that is longer than the width. REQUIRES: in host memory.
  template <class Visit>
  void row(Index i, const Visit& visit, Index begin = 0, Index end = whole_row) const {
    const Index length = lengths[i];
    for (Index k = begin; k < (end < length ? end : length); ++k) {
      visit(columns[k * rows + i], values[k * rows + i]);
    }
    if (length < width || end <= length) return;
    const Index first = first_in_row(rest_rows, i);
    Index k = begin > length ? begin - length : 0;
    for (; first + k < rest() && k < end - length; ++k) {
      if (offset_at(rest_rows, first + k) != i) return;
      const Index at = slots_of_rows() + first + k;
      visit(columns[at], values[at]);
    }
  }
  /// The nonzeros of each of the rows from `first` on, as many as `into` has places.
  /// REQUIRES: in host memory.
  void row_lengths(Index first, std::span<Index> into) const noexcept;
};

/// How a matrix is split between the two parts.
struct HybSplit {
  Index width = 0;      ///< slots of each row
  double in_slots = 0;  ///< elements that have a slot, of all rows
};
/// The width that two thirds of the rows fill, 4096 at most: that takes the fewest bytes in float,
/// and hardly more in double. Looks at one in `step` of the blocks of 64 rows.
[[nodiscard]] HybSplit hyb_split(const RowView& rows, Index step = 1);

/// Slots of a matrix of that structure in HYB, where an element without a slot counts for as much
/// more as its row's index takes: see `FormatFacts::slots`.
[[nodiscard]] double hyb_slots(const Structure& structure, const RowView* rows);
/// Bytes of a matrix of that structure in HYB; NaN where its slots are not known.
[[nodiscard]] double hyb_bytes(const Structure& structure, Index element_bytes);

/// The row of HYB.
inline constexpr FormatFacts hyb_facts{.format = Format::Hyb,
                                       .name = "hyb",
                                       .bytes = &hyb_bytes,
                                       .arrays = 4,
                                       .multiply_terms = padded_multiply_terms,
                                       .convert_terms = padded_convert_terms,
                                       .slots = &hyb_slots};

}  // namespace switchyard
