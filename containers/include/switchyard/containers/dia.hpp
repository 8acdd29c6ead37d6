// The diagonal format: every diagonal that has a stored element, with a place for each row.
#pragma once

#include <cstdint>
#include <switchyard/containers/array.hpp>
#include <switchyard/containers/format_facts.hpp>
#include <tuple>

namespace switchyard {

/// The rows of one word of a diagonal's mask.
inline constexpr Index dia_word_rows = 64;

/// A `rows` x `cols` matrix of `nnz` stored elements by diagonals (DIA). Diagonal d has the
/// elements (i, i + diagonals[d]); diagonals ascend. The element of row i is at values[d * rows +
/// i] if bit i % 64 of masks[d * words() + i / 64] is set. Else nothing is stored in that place,
/// and its value is 0: a mask tells stored zeros from places without an element.
template <Element T>
struct Dia {
  /// The format of this struct.
  static constexpr Format format = Format::Dia;

  Index rows = 0;              ///< number of rows
  Index cols = 0;              ///< number of columns
  Index nnz = 0;               ///< number of stored elements
  Array<Index> diagonals;      ///< column minus row of each diagonal, ascending
  Array<std::uint64_t> masks;  ///< diagonals * words(); a bit for each place
  Array<T> values;             ///< diagonals * rows

  /// An uninitialised matrix of so many diagonals in `memory`. Throws `Error(OutOfRange)` when a
  /// size is negative or too large.
  [[nodiscard]] static Dia sized(const Dia& header, Index count,
                                 const std::shared_ptr<MemorySpace>& memory);

  /// Words of each diagonal's mask.
  [[nodiscard]] Index words() const noexcept { return (rows + dia_word_rows - 1) / dia_word_rows; }
  /// Whether diagonal d has an element in row i. REQUIRES: in host memory.
  [[nodiscard]] bool stored(Index d, Index i) const noexcept {
    return (masks[d * words() + i / dia_word_rows] >> (i % dia_word_rows) & 1U) != 0;
  }

  /// The arrays of the matrix, for transfers and accounting.
  auto arrays() { return std::tie(diagonals, masks, values); }
  /// The same for a const matrix.
  auto arrays() const { return std::tie(diagonals, masks, values); }
  /// The same matrix without its arrays.
  [[nodiscard]] Dia header() const { return {rows, cols, nnz, {}, {}, {}}; }
  /// Elements kept, places without an element included.
  [[nodiscard]] Index slots() const noexcept { return values.size(); }
  /// Throws `Error(InvalidArgument)` if the arrays do not fit the header. REQUIRES: in host
  /// memory.
  void check() const;

  /// Calls visit(column, value) for the stored elements begin to end, at most, of row i, columns
  /// ascending. REQUIRES: in host memory.
  template <class Visit>
  void row(Index i, const Visit& visit, Index begin = 0, Index end = whole_row) const {
    Index k = 0;
    for (Index d = 0; d < diagonals.size() && k < end; ++d) {
      if (!stored(d, i)) continue;
      if (k++ >= begin) visit(static_cast<Column>(i + diagonals[d]), values[d * rows + i]);
    }
  }
  /// The nonzeros of each of the rows from `first` on, as many as `lengths` has places.
  /// REQUIRES: in host memory.
  void row_lengths(Index first, std::span<Index> lengths) const noexcept;
};

/// Places of a matrix of that structure in DIA: see `FormatFacts::slots`.
[[nodiscard]] double dia_slots(const Structure& structure, const RowView* rows);
/// Bytes of a matrix of that structure in DIA; NaN where its places are not known.
[[nodiscard]] double dia_bytes(const Structure& structure, Index element_bytes);

/// What the cost of a DIA multiplication depends on.
inline constexpr std::array dia_multiply_terms{
    CostTerm{},                                  // the launch
    CostTerm{Quantity::Bytes},                   // streaming
    CostTerm{Quantity::Rows},                    // starting and ending a row
    CostTerm{Quantity::Stored},                  // instructions on each place
    CostTerm{Quantity::Cols},                    // x, where it has to travel
    CostTerm{Quantity::Bytes, Quantity::Bytes},  // a working set that gradually leaves a cache
};
/// What the cost of a conversion from or to DIA depends on.
inline constexpr std::array dia_convert_terms{CostTerm{}, CostTerm{Quantity::Bytes},
                                              CostTerm{Quantity::Rows}, CostTerm{Quantity::Stored},
                                              CostTerm{Quantity::Nonzeros}};
/// The row of DIA.
inline constexpr FormatFacts dia_facts{.format = Format::Dia,
                                       .name = "dia",
                                       .bytes = &dia_bytes,
                                       .arrays = 3,
                                       .multiply_terms = dia_multiply_terms,
                                       .convert_terms = dia_convert_terms,
                                       .slots = &dia_slots};

}  // namespace switchyard
