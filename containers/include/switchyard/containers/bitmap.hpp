// The bitmap format: a bit for each place of the matrix, and the stored elements row by row.
#pragma once

#include <bit>
#include <cstdint>
#include <switchyard/containers/format_facts.hpp>
#include <switchyard/containers/offsets.hpp>
#include <tuple>

namespace switchyard {

/// The columns of one word of a bitmap.
inline constexpr Index bitmap_word_columns = 64;

/// A `rows` x `cols` matrix of `nnz` stored elements. Bit j % 64 of word j / 64 of a row is set if
/// the row has a stored element in column j; bits beyond the last column are 0. Row i has the
/// values[k] for k in [offsets[i], offsets[i + 1]), columns ascending, as in `Csr`.
template <Element T>
struct Bitmap {
  /// The format of this struct.
  static constexpr Format format = Format::Bitmap;

  Index rows = 0;              ///< number of rows
  Index cols = 0;              ///< number of columns
  Index nnz = 0;               ///< number of stored elements
  Offsets offsets;             ///< rows + 1; the beginning of each row in `values`
  Array<std::uint64_t> masks;  ///< rows * words_of_row(); a bit for each place
  Array<T> values;             ///< nnz; the stored elements, row by row

  /// An uninitialised matrix in `memory`, its offsets as wide as `nnz` needs. Throws
  /// `Error(OutOfRange)` when a size is negative or too large.
  [[nodiscard]] static Bitmap sized(Index rows, Index cols, Index nnz,
                                    const std::shared_ptr<MemorySpace>& memory);

  /// Words of each row.
  [[nodiscard]] Index words_of_row() const noexcept {
    return (cols + bitmap_word_columns - 1) / bitmap_word_columns;
  }
  /// Offset i. REQUIRES: in host memory, 0 <= i <= rows.
  [[nodiscard]] Index offset(Index i) const { return offset_at(offsets, i); }

  /// The arrays of the matrix, for transfers and accounting.
  auto arrays() { return std::tie(offsets, masks, values); }
  /// The same for a const matrix.
  auto arrays() const { return std::tie(offsets, masks, values); }
  /// The same matrix without its arrays.
  [[nodiscard]] Bitmap header() const { return {rows, cols, nnz, {}, {}, {}}; }
  /// Elements kept: there is no padding.
  [[nodiscard]] Index slots() const noexcept { return nnz; }
  /// Throws `Error(InvalidArgument)` if the arrays do not fit the header. REQUIRES: in host
  /// memory.
  void check() const;

  /// Calls visit(column, value) for the stored elements begin to end, at most, of row i, columns
  /// ascending. REQUIRES: in host memory.
  template <class Visit>
  void row(Index i, const Visit& visit, Index begin = 0, Index end = whole_row) const {
    const std::uint64_t* const words = masks.data() + i * words_of_row();
    const T* const elements = values.data() + offset(i);
    Index k = 0;
    for (Index w = 0; w < words_of_row() && k < end; ++w) {
      for (std::uint64_t word = words[w]; word != 0 && k < end; word &= word - 1, ++k) {
        if (k < begin) continue;
        visit(static_cast<Column>(w * bitmap_word_columns + std::countr_zero(word)), elements[k]);
      }
    }
  }
  /// The nonzeros of each of the rows from `first` on, as many as `lengths` has places.
  /// REQUIRES: in host memory.
  void row_lengths(Index first, std::span<Index> lengths) const noexcept;
};

/// Bytes of a bitmap matrix of that shape and that many nonzeros.
[[nodiscard]] double bitmap_bytes(const Structure& structure, Index element_bytes);

/// What the cost of a multiplication by a bitmap depends on.
inline constexpr std::array bitmap_multiply_terms{
    CostTerm{},                                  // the launch
    CostTerm{Quantity::Bytes},                   // streaming
    CostTerm{Quantity::Rows},                    // starting and ending a row
    CostTerm{Quantity::Elements},                // instructions on each place
    CostTerm{Quantity::Nonzeros},                // instructions on each stored element
    CostTerm{Quantity::Cols},                    // x, where it has to travel
    CostTerm{Quantity::Bytes, Quantity::Bytes},  // a working set that gradually leaves a cache
};
/// What the cost of a conversion from or to a bitmap depends on.
inline constexpr std::array bitmap_convert_terms{CostTerm{}, CostTerm{Quantity::Bytes},
                                                 CostTerm{Quantity::Elements},
                                                 CostTerm{Quantity::Nonzeros}};
/// The row of the bitmap format.
inline constexpr FormatFacts bitmap_facts{.format = Format::Bitmap,
                                          .name = "bitmap",
                                          .bytes = &bitmap_bytes,
                                          .arrays = 3,
                                          .multiply_terms = bitmap_multiply_terms,
                                          .convert_terms = bitmap_convert_terms};

}  // namespace switchyard
