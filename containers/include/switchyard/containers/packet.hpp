// The packet format: neighbouring rows that share a piece of x, with columns of 16 bits into it.
#pragma once

#include <switchyard/containers/column_set.hpp>
#include <switchyard/containers/csr.hpp>
#include <switchyard/containers/format_facts.hpp>
#include <tuple>

namespace switchyard {

/// The most rows of a packet. Packets do not reach across multiples of it.
inline constexpr Index packet_rows = 256;
/// The most columns in the piece of a packet: their elements of x fill 16 KiB in double.
inline constexpr Index packet_columns = ColumnSet::most;

/// Where a packet begins. With 32-byte alignment, so that a device reads it at once.
struct alignas(32) PacketStart {
  std::int64_t row = 0;        ///< its first row
  std::int64_t piece = 0;      ///< its first column in `pieces`
  std::int64_t shift = 0;      ///< elements before it in packets with columns of the other width
  std::int64_t is_direct = 0;  ///< 1: one row without a piece, whose columns have 32 bits
};

/// Cuts rows [begin, end) into packets, each with as many rows as fit into `columns`, and calls
/// close(first, end, is_direct) for each. `columns` then has its piece, if it is not direct.
/// `row(i)` returns the columns of row i, or of a longer row more than `packet_columns`. REQUIRES:
/// no multiple of `packet_rows` between begin and end.
template <class Row, class Close>
void cut_packets(ColumnSet& columns, Index begin, Index end, const Row& row, const Close& close) {
  Index first = begin;
  const auto finish = [&](Index next) {
    if (next > first) close(first, next, false);
    columns.clear();
    first = next;
  };
  columns.clear();
  for (Index i = begin; i < end; ++i) {
    const std::span<const Column> of_row = row(i);
    if (std::ssize(of_row) > packet_columns) {
      finish(i);
      close(i, i + 1, true);
      first = i + 1;
    } else if (!columns.add(of_row)) {
      finish(i);
      (void)columns.add(of_row);  // alone, it fits
    }
  }
  finish(end);
}

/// What follows from how rows are cut: see `Packets`.
struct PacketSizes {
  Index packets = 0;  ///< packets
  Index pieces = 0;   ///< columns of all pieces together
  Index wide = 0;     ///< elements of direct packets
};

/// A `rows` x `cols` matrix of `nnz` stored elements in packets (Bell and Garland, NVIDIA technical
/// report NVR-2008-004, 2008): packet p has the rows from packets[p].row to before
/// packets[p + 1].row. Its piece lists the columns that they touch, ascending: those from
/// packets[p].piece to before packets[p + 1].piece of `pieces`. Row i has the elements
/// [offsets[i], offsets[i + 1]), columns ascending strictly, values[k] that of element k. Its
/// column is pieces[packet.piece + narrow[k - packet.shift]], or in a direct packet
/// wide[k - packet.shift]. A row of more than `packet_columns` elements is a direct packet, and no
/// other row is.
template <Element T>
struct Packets {
  /// The format of this struct.
  static constexpr Format format = Format::Packet;

  Index rows = 0;               ///< number of rows
  Index cols = 0;               ///< number of columns
  Index nnz = 0;                ///< number of stored elements
  Offsets offsets;              ///< rows + 1; the first element of each row
  Array<PacketStart> packets;   ///< packets + 1; the last is where the rows and pieces end
  Array<Column> pieces;         ///< the columns of each packet, packet by packet
  Array<std::uint16_t> narrow;  ///< elements of packets with a piece: places in it
  Array<Column> wide;           ///< elements of direct packets: columns
  Array<T> values;              ///< nnz; the stored elements, row by row

  /// Uninitialised, in `memory`, with the shape of `header`. Throws `Error(OutOfRange)` if a size
  /// is negative or too large.
  [[nodiscard]] static Packets sized(const Packets& header, const PacketSizes& sizes,
                                     const std::shared_ptr<MemorySpace>& memory);

  /// The number of packets.
  [[nodiscard]] Index count() const noexcept { return packets.size() - 1; }
  /// Element offset of row i. REQUIRES: in host memory, 0 <= i <= rows.
  [[nodiscard]] Index offset(Index i) const { return offset_at(offsets, i); }
  /// The packet of row i. REQUIRES: in host memory, 0 <= i < rows.
  [[nodiscard]] Index packet_of(Index i) const noexcept;

  /// The arrays of the matrix, for transfers and accounting.
  auto arrays() { return std::tie(offsets, packets, pieces, narrow, wide, values); }
  /// The same for a const matrix.
  auto arrays() const { return std::tie(offsets, packets, pieces, narrow, wide, values); }
  /// The same matrix without its arrays.
  [[nodiscard]] Packets header() const { return {rows, cols, nnz, {}, {}, {}, {}, {}, {}}; }
  /// Elements kept: there is no padding.
  [[nodiscard]] Index slots() const noexcept { return nnz; }
  /// Throws `Error(InvalidArgument)` if the arrays do not fit the header. REQUIRES: in host
  /// memory.
  void check() const;

  /// The column of element k of a row of `packet`. REQUIRES: in host memory.
  [[nodiscard]] Column column(const PacketStart& packet, Index k) const noexcept {
    if (packet.is_direct != 0) return wide[k - packet.shift];
    return pieces[packet.piece + narrow[k - packet.shift]];
  }
  /// Calls visit(column, value) for the stored elements begin to end, at most, of row i, columns
  /// ascending. REQUIRES: in host memory.
  template <class Visit>
  void row(Index i, const Visit& visit, Index begin = 0, Index end = whole_row) const {
    const PacketStart& packet = packets[packet_of(i)];
    const Index first = offset(i);
    const Index length = offset(i + 1) - first;
    const Index last = first + (end < length ? end : length);
    for (Index k = first + begin; k < last; ++k) visit(column(packet, k), values[k]);
  }
  /// The nonzeros of each of the rows from `first` on, as many as `lengths` has places.
  /// REQUIRES: in host memory.
  void row_lengths(Index first, std::span<Index> lengths) const noexcept;
};

/// Units of 16 bits that packets, pieces and columns take together: see `FormatFacts::slots`. All
/// packets of a small matrix are counted, of others some are sampled.
[[nodiscard]] double packet_slots(const Structure& structure, const RowView* rows);
/// Bytes of a matrix of that structure in packets; NaN where its slots are not known.
[[nodiscard]] double packet_bytes(const Structure& structure, Index element_bytes);

/// What the cost of a multiplication by packets depends on.
inline constexpr std::array packet_multiply_terms{
    CostTerm{},                    // the launch
    CostTerm{Quantity::Bytes},     // streaming
    CostTerm{Quantity::Rows},      // starting and ending a row
    CostTerm{Quantity::Nonzeros},  // instructions on each
    CostTerm{Quantity::Stored},    // gathering the pieces
    CostTerm{Quantity::Longest},   // the last thread to finish
};
/// The row of the packet format.
inline constexpr FormatFacts packet_facts{.format = Format::Packet,
                                          .name = "packet",
                                          .bytes = &packet_bytes,
                                          .arrays = 5,  // columns of 32 bits are rare
                                          .multiply_terms = packet_multiply_terms,
                                          .convert_terms = csr_convert_terms,
                                          .slots = &packet_slots};

}  // namespace switchyard
