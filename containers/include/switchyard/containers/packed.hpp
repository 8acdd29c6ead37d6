// Packed CSR: compressed sparse rows whose columns and values are kept in fewer bytes.
#pragma once

#include <algorithm>
#include <switchyard/containers/csr.hpp>
#include <switchyard/containers/format_facts.hpp>
#include <tuple>

namespace switchyard {

/// What a packed format packs.
struct PackedCoding {
  ColumnCoding columns = ColumnCoding::Plain;  ///< of the columns
  ValueCoding values = ValueCoding::Plain;     ///< of the values
};

/// The codings that `format` stands for. REQUIRES: one of the packed formats.
[[nodiscard]] constexpr PackedCoding packed_coding(Format format) noexcept {
  switch (format) {
    case Format::CsrConst:
      return {ColumnCoding::Plain, ValueCoding::Constant};
    case Format::CsrDict8:
      return {ColumnCoding::Plain, ValueCoding::Dictionary8};
    case Format::Csr16Const:
      return {ColumnCoding::Tiled16, ValueCoding::Constant};
    case Format::Csr16Dict8:
      return {ColumnCoding::Tiled16, ValueCoding::Dictionary8};
    case Format::Csr8:
      return {ColumnCoding::Blocked8, ValueCoding::Plain};
    case Format::Csr8Const:
      return {ColumnCoding::Blocked8, ValueCoding::Constant};
    case Format::Csr8Dict8:
      return {ColumnCoding::Blocked8, ValueCoding::Dictionary8};
    default:
      return {ColumnCoding::Tiled16, ValueCoding::Plain};
  }
}

/// Rows of a tile.
inline constexpr Index packed_tile_rows = 64;
/// The columns from its base that a narrow tile reaches.
inline constexpr Index packed_reach = Index{1} << 16;

/// Where the columns of a tile are. With 16-byte alignment, so that a device reads it at once.
struct alignas(16) PackedTile {
  std::int64_t shift = 0;  ///< elements before this tile that are in tiles of the other width
  std::int64_t base = 0;   ///< what the tile's columns count from; -1: it has columns of 32 bits
};

/// The base of a tile whose columns lie between `first` and `last`, or -1 if they lie too far
/// apart. Few different bases: neighbouring tiles of the same base are multiplied as one.
[[nodiscard]] constexpr Index packed_base(Index first, Index last) noexcept {
  if (last < packed_reach) return 0;
  const Index even = first / (packed_reach / 2) * (packed_reach / 2);
  if (last - even < packed_reach) return even;
  return last - first < packed_reach ? first : -1;
}

/// Columns of a block.
inline constexpr Index packed_block = 256;
/// The columns of a matrix whose heads take one word each.
inline constexpr Index one_word_columns = Index{1} << 24;

/// The words of 32 bits that each head of a matrix of so many columns takes.
[[nodiscard]] constexpr Index words_of_head(Index cols) noexcept {
  return cols <= one_word_columns ? 1 : 2;
}

/// The elements of a row that lie in one block of columns.
struct PackedHead {
  Index block = 0;          ///< their columns begin at block * packed_block
  std::uint16_t start = 0;  ///< the last 16 bits of the first one's number among all elements
};

/// A `rows` x `cols` matrix of `nnz` stored elements in packed CSR. Row i has the elements
/// [offsets[i], offsets[i + 1]), columns ascending strictly. How columns and values are kept
/// depends on the format:
///
/// Plain columns: that of element k is wide[k]. Tiled columns: `packed_tile_rows` rows are a tile,
/// tiles[i / packed_tile_rows] is that of row i. Its element k has the column
/// tile.base + narrow[k - tile.shift], or if the base is -1, wide[k - tile.shift].
///
/// Blocked columns: row i has the heads [first_heads[i], first_heads[i + 1]), blocks ascending
/// strictly, one for each block in which it has elements. The elements of a head end where those of
/// the next one start, or the row ends; they are at most 256, so that 16 bits tell how far it is to
/// the starts of the next 255 heads. Its element k has the column 256 block + low[k]. A head is one
/// word, block << 16 | start, or in a matrix of more than 2^24 columns two, block and start.
///
/// Plain values: that of element k is values[k]. A constant: values[0]. A dictionary:
/// values[codes[k]].
template <Element T>
struct Packed {
  Format format = Format::Csr16;     ///< which packed format: fixes the codings
  Index rows = 0;                    ///< number of rows
  Index cols = 0;                    ///< number of columns
  Index nnz = 0;                     ///< number of stored elements
  Offsets offsets = {};              ///< rows + 1; the first element of each row
  Array<PackedTile> tiles = {};      ///< one for each `packed_tile_rows` rows; none if not tiled
  Array<std::uint16_t> narrow = {};  ///< columns of 16 bits
  Array<Column> wide = {};           ///< columns of 32 bits
  Offsets first_heads = {};          ///< rows + 1, as wide as `offsets`; none if not blocked
  Array<std::uint32_t> heads = {};   ///< `words_of_head` for each
  Array<std::uint8_t> low = {};      ///< nnz columns within their blocks; none if not blocked
  Array<T> values = {};              ///< nnz, or 1, or `dictionary8_values`
  Array<std::uint8_t> codes = {};    ///< nnz with a dictionary, otherwise none

  /// The codings of the format.
  [[nodiscard]] PackedCoding coding() const noexcept { return packed_coding(format); }
  /// The number of tiles, the last of them perhaps not whole.
  [[nodiscard]] Index tile_count() const noexcept {
    if (coding().columns != ColumnCoding::Tiled16) return 0;
    return (rows + packed_tile_rows - 1) / packed_tile_rows;
  }
  /// Uninitialised, in `memory`, with the shape of `header`, but for tiled columns and heads, whose
  /// numbers are not known yet. Throws `Error(OutOfRange)` if a size is negative or too large.
  [[nodiscard]] static Packed sized(const Packed& header,
                                    const std::shared_ptr<MemorySpace>& memory);
  /// The same for the matrix `csr` in that format. It shares the offsets of `csr`, however wide,
  /// and its columns where they are plain: nobody writes to these arrays of a matrix once it is
  /// made.
  [[nodiscard]] static Packed beside(const Csr<T>& csr, Format format,
                                     const std::shared_ptr<MemorySpace>& memory);
  /// This matrix in CSR, its values uninitialised, and its columns where they are not plain. The
  /// rest is shared.
  [[nodiscard]] Csr<T> csr_beside(const std::shared_ptr<MemorySpace>& memory) const;
  /// Adds tiled columns, uninitialised, `narrow_columns` of 16 bits and the others of 32.
  void add_columns(Index narrow_columns, const std::shared_ptr<MemorySpace>& memory);
  /// Adds so many heads, uninitialised.
  void add_heads(Index count, const std::shared_ptr<MemorySpace>& memory);

  /// Element offset of row i. REQUIRES: in host memory, 0 <= i <= rows.
  [[nodiscard]] Index offset(Index i) const { return offset_at(offsets, i); }

  /// The arrays of the matrix, for transfers and accounting.
  auto arrays() {
    return std::tie(offsets, tiles, narrow, wide, first_heads, heads, low, values, codes);
  }
  /// The same for a const matrix.
  auto arrays() const {
    return std::tie(offsets, tiles, narrow, wide, first_heads, heads, low, values, codes);
  }
  /// The same matrix without its arrays.
  [[nodiscard]] Packed header() const { return {format, rows, cols, nnz}; }
  /// Elements kept: there is no padding.
  [[nodiscard]] Index slots() const noexcept { return nnz; }
  /// Throws `Error(InvalidArgument)` if the arrays do not fit the header. REQUIRES: in host
  /// memory.
  void check() const;

  /// Head h. REQUIRES: in host memory.
  [[nodiscard]] PackedHead head(Index h) const noexcept {
    if (words_of_head(cols) == 1) {
      return {heads[h] >> 16U, static_cast<std::uint16_t>(heads[h])};
    }
    return {heads[2 * h], static_cast<std::uint16_t>(heads[2 * h + 1])};
  }
  /// Calls visit(h, begin, end) for each head of row i, whose elements are [begin, end). REQUIRES:
  /// in host memory.
  template <class Visit>
  void heads_of_row(Index i, const Visit& visit) const {
    Index begin = offset(i);
    const Index last = offset_at(first_heads, i + 1) - 1;
    for (Index h = offset_at(first_heads, i); h <= last; ++h) {
      const auto end_bits =
          static_cast<std::uint16_t>(h < last ? head(h + 1).start : offset(i + 1));
      const Index end = begin + static_cast<std::uint16_t>(end_bits - begin);
      visit(h, begin, end);
      begin = end;
    }
  }

  /// The column of element k of row i, of columns that are not blocked. REQUIRES: in host memory.
  [[nodiscard]] Column column(Index i, Index k) const noexcept {
    if (tiles.size() == 0) return wide[k];
    const PackedTile& tile = tiles[i / packed_tile_rows];
    if (tile.base < 0) return wide[k - tile.shift];
    return static_cast<Column>(tile.base + narrow[k - tile.shift]);
  }
  /// The value of element k. REQUIRES: in host memory.
  [[nodiscard]] T value(Index k) const noexcept {
    switch (coding().values) {
      case ValueCoding::Constant:
        return values[0];
      case ValueCoding::Dictionary8:
        return values[codes[k]];
      default:
        return values[k];
    }
  }
  /// Calls visit(column, value) for the stored elements begin to end, at most, of row i, columns
  /// ascending. REQUIRES: in host memory.
  template <class Visit>
  void row(Index i, const Visit& visit, Index begin = 0, Index end = whole_row) const {
    const Index first = offset(i);
    const Index length = offset(i + 1) - first;
    const Index last = first + (end < length ? end : length);
    if (coding().columns != ColumnCoding::Blocked8) {
      for (Index k = first + begin; k < last; ++k) visit(column(i, k), value(k));
      return;
    }
    heads_of_row(i, [&](Index h, Index from, Index to) {
      const Index block_begin = head(h).block * packed_block;
      for (Index k = std::max(from, first + begin); k < std::min(to, last); ++k) {
        visit(static_cast<Column>(block_begin + low[k]), value(k));
      }
    });
  }
  /// The nonzeros of each of the rows from `first` on, as many as `lengths` has places.
  /// REQUIRES: in host memory.
  void row_lengths(Index first, std::span<Index> lengths) const noexcept;
};

/// Units of 16 bits that the tiled columns of a matrix take, one or two for each element: see
/// `FormatFacts::slots`. Where there are many tiles, some are sampled.
[[nodiscard]] double packed_slots(const Structure& structure, const RowView* rows);
/// The heads of blocked columns, one for each row and block of columns in which it has elements:
/// see `FormatFacts::slots`. Of matrices with many elements, parts of rows are sampled.
[[nodiscard]] double packed_heads(const Structure& structure, const RowView* rows);
/// Bytes of a matrix of that structure in that format; NaN where its slots are not known.
[[nodiscard]] double packed_bytes(Format format, const Structure& structure, Index element_bytes);
/// Those of them that it shares with CSR: see `Packed::beside`.
[[nodiscard]] double packed_shared_bytes(Format format, const Structure& structure);

/// Why the values of a matrix of that structure cannot be coded; empty if they can, as far as they
/// were looked at.
[[nodiscard]] std::string_view coding_obstacle(ValueCoding coding, const Structure& structure);

/// What the cost of a multiplication in a packed format depends on: as for CSR, but fewer terms,
/// since each format adds its own models.
inline constexpr std::array packed_multiply_terms{
    CostTerm{},                                    // the launch
    CostTerm{Quantity::Bytes},                     // streaming
    CostTerm{Quantity::Rows},                      // starting and ending a row
    CostTerm{Quantity::Nonzeros},                  // instructions on each
    CostTerm{Quantity::Gathered},                  // lines of x, wherever they are
    CostTerm{Quantity::Longest},                   // the last thread to finish
    CostTerm{Quantity::Spread},                    // uneven rows
    CostTerm{Quantity::Gathered, Quantity::Cols},  // lines of x that a longer x evicts from a cache
};

/// The same for blocked columns.
inline constexpr std::array blocked_multiply_terms{
    CostTerm{},                                    // the launch
    CostTerm{Quantity::Bytes},                     // streaming
    CostTerm{Quantity::Rows},                      // starting and ending a row
    CostTerm{Quantity::Nonzeros},                  // instructions on each
    CostTerm{Quantity::Stored},                    // instructions on each head
    CostTerm{Quantity::Gathered},                  // lines of x, wherever they are
    CostTerm{Quantity::Longest},                   // the last thread to finish
    CostTerm{Quantity::Spread},                    // uneven rows
    CostTerm{Quantity::Gathered, Quantity::Cols},  // lines of x that a longer x evicts from a cache
};

/// `coding_obstacle` for a table.
template <ValueCoding coding>
[[nodiscard]] std::string_view packed_obstacle(const Structure& structure) {
  return coding_obstacle(coding, structure);
}

/// The row of a packed format.
template <Format format>
[[nodiscard]] constexpr FormatFacts packed_facts(std::string_view name) noexcept {
  constexpr PackedCoding coding = packed_coding(format);
  constexpr bool tiled = coding.columns == ColumnCoding::Tiled16;
  constexpr bool blocked = coding.columns == ColumnCoding::Blocked8;
  constexpr bool has_codes = coding.values == ValueCoding::Dictionary8;
  using Terms = std::span<const CostTerm>;
  // Columns of 32 bits beside those of 16 are rare.
  return {
      .format = format,
      .name = name,
      .bytes = [](const Structure& structure,
                  Index element_bytes) { return packed_bytes(format, structure, element_bytes); },
      .arrays = 3 + (tiled ? 1 : 0) + (blocked ? 2 : 0) + (has_codes ? 1 : 0),
      .multiply_terms = blocked ? Terms(blocked_multiply_terms) : Terms(packed_multiply_terms),
      .convert_terms = csr_convert_terms,
      .slots = tiled     ? &packed_slots
               : blocked ? &packed_heads
                         : nullptr,
      .columns = coding.columns,
      .values = coding.values,
      .obstacle = coding.values == ValueCoding::Plain ? nullptr : &packed_obstacle<coding.values>,
      .shared_bytes =
          [](const Structure& structure) { return packed_shared_bytes(format, structure); }};
}

}  // namespace switchyard
