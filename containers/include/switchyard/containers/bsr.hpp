// The BSR format: small dense blocks in compressed block rows, with a mask of the stored places.
#pragma once

#include <cstdint>
#include <switchyard/containers/format_facts.hpp>
#include <switchyard/containers/offsets.hpp>
#include <tuple>

namespace switchyard {

/// The rows and columns of a block of `format`. REQUIRES: one of the BSR formats.
[[nodiscard]] constexpr Index bsr_block(Format format) noexcept {
  if (format == Format::Bsr2) return 2;
  return format == Format::Bsr3 ? 3 : 4;
}

/// The rows and columns of the largest block of any of these formats.
inline constexpr Index largest_bsr_block = 4;

/// A `rows` x `cols` matrix of `nnz` stored elements in block sparse rows (BSR, also known as block
/// CSR). Blocks are b x b, aligned to multiples of b; b follows from the format. Block row I has
/// the blocks [offsets[I], offsets[I + 1]), block columns ascending strictly. Place (r, c) of block
/// k is at values[k * b * b + r * b + c], and bit r * b + c of masks[k] is set if an element is
/// stored there. No mask is 0. Other places hold 0 and are never multiplied. Blocks reach beyond
/// the last row and column where b does not divide their number; no element is stored there.
template <Element T>
struct Bsr {
  Format format = Format::Bsr4;  ///< which BSR format: fixes b
  Index rows = 0;                ///< number of rows
  Index cols = 0;                ///< number of columns
  Index nnz = 0;                 ///< number of stored elements
  Offsets offsets;               ///< block_rows() + 1; as wide as `nnz` needs
  Array<Column> columns;         ///< blocks; the block column of each
  Array<std::uint16_t> masks;    ///< blocks; the stored places of each
  Array<T> values;               ///< blocks * b * b

  /// Rows and columns of a block.
  [[nodiscard]] Index block() const noexcept { return bsr_block(format); }
  /// Rows of blocks, the last of them perhaps not whole.
  [[nodiscard]] Index block_rows() const noexcept { return (rows + block() - 1) / block(); }
  /// Uninitialised, in `memory`, with the shape of `header`, but for the blocks, whose number
  /// follows from the offsets. Throws `Error(OutOfRange)` if a size is negative or too large.
  [[nodiscard]] static Bsr sized(const Bsr& header, const std::shared_ptr<MemorySpace>& memory);
  /// Adds `blocks` blocks, uninitialised. Throws as above.
  void add_blocks(Index blocks, const std::shared_ptr<MemorySpace>& memory);

  /// Where the blocks of block row I begin. REQUIRES: in host memory, 0 <= I <= block_rows().
  [[nodiscard]] Index offset(Index block_row) const { return offset_at(offsets, block_row); }

  /// The arrays of the matrix, for transfers and accounting.
  auto arrays() { return std::tie(offsets, columns, masks, values); }
  /// The same for a const matrix.
  auto arrays() const { return std::tie(offsets, columns, masks, values); }
  /// The same matrix without its arrays.
  [[nodiscard]] Bsr header() const { return {format, rows, cols, nnz, {}, {}, {}, {}}; }
  /// Elements kept, padding included.
  [[nodiscard]] Index slots() const noexcept { return values.size(); }
  /// Throws `Error(InvalidArgument)` if the arrays do not fit the header. REQUIRES: in host
  /// memory.
  void check() const;

  /// Calls visit(column, value) for the stored elements begin to end, at most, of row i, columns
  /// ascending. REQUIRES: in host memory.
  template <class Visit>
  void row(Index i, const Visit& visit, Index begin = 0, Index end = whole_row) const {
    const Index b = block();
    const Index last = offset(i / b + 1);
    Index seen = 0;
    for (Index k = offset(i / b); k < last && seen < end; ++k) {
      const unsigned stored = row_mask(k, i % b);
      const T* const elements = values.data() + k * b * b + i % b * b;
      for (Index c = 0; c < b && seen < end; ++c) {
        if ((stored >> c & 1U) == 0) continue;
        if (seen++ >= begin) visit(static_cast<Column>(columns[k] * b + c), elements[c]);
      }
    }
  }
  /// The nonzeros of each of the rows from `first` on, as many as `lengths` has places.
  /// REQUIRES: in host memory.
  void row_lengths(Index first, std::span<Index> lengths) const noexcept;
  /// Bit c: whether block k stores an element in column c of its row r. REQUIRES: in host memory.
  [[nodiscard]] unsigned row_mask(Index k, Index r) const noexcept {
    const auto b = static_cast<unsigned>(block());
    return unsigned{masks[k]} >> (static_cast<unsigned>(r) * b) & ((1U << b) - 1);
  }
};

/// Slots of a matrix of that structure in b x b blocks: see `FormatFacts::slots`. All blocks of a
/// small matrix are counted. Of others, some block rows are sampled.
[[nodiscard]] double bsr_slots(Index b, const Structure& structure, const RowView* rows);
/// Bytes of a matrix of that structure in that format; NaN where its slots are not known.
[[nodiscard]] double bsr_bytes(Format format, const Structure& structure, Index element_bytes);

/// What the cost of a multiplication by blocks depends on.
inline constexpr std::array bsr_multiply_terms{
    CostTerm{},                    // the launch
    CostTerm{Quantity::Bytes},     // streaming
    CostTerm{Quantity::Rows},      // starting and ending a block row
    CostTerm{Quantity::Stored},    // instructions on each slot
    CostTerm{Quantity::Gathered},  // lines of x, wherever they are
    CostTerm{Quantity::Longest},   // the last thread to finish
    CostTerm{Quantity::Changes},   // rows whose end a processor mispredicts
};
/// What the cost of a conversion from or to blocks depends on.
inline constexpr std::array bsr_convert_terms{CostTerm{}, CostTerm{Quantity::Bytes},
                                              CostTerm{Quantity::Rows}, CostTerm{Quantity::Stored}};

/// The row of a BSR format.
template <Format format>
[[nodiscard]] constexpr FormatFacts bsr_facts(std::string_view name) noexcept {
  return {
      .format = format,
      .name = name,
      .bytes = [](const Structure& structure,
                  Index element_bytes) { return bsr_bytes(format, structure, element_bytes); },
      .arrays = 4,
      .multiply_terms = bsr_multiply_terms,
      .convert_terms = bsr_convert_terms,
      .slots = [](const Structure& structure,
                  const RowView* rows) { return bsr_slots(bsr_block(format), structure, rows); }};
}

}  // namespace switchyard
