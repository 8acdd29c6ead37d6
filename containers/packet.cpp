// The packet format: sizes, checks and estimates.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <switchyard/containers/packet.hpp>

namespace switchyard {
namespace {

/// All packets of a matrix with at most so many rows and nonzeros are counted. Of others, at most
/// eight are sampled: one column in 64, which costs some 5 ns each, but between 2048 and 65,536.
constexpr Index counted_rows_and_nonzeros = 1024;
constexpr Index columns_for_one = 64;
constexpr Index fewest_columns = 2048;
constexpr Index most_columns = 65'536;
constexpr Index columns_of_sample = 1024;
constexpr Index most_samples = 8;

constexpr Index unit_bytes = 2;
constexpr Index units_of_column = Index{sizeof(Column)} / unit_bytes;
constexpr Index units_of_packet = Index{sizeof(PacketStart)} / unit_bytes;

[[noreturn]] void refuse(const char* why) {
  throw Error(ErrorCode::InvalidArgument, std::string("a packet matrix needs ") + why);
}

/// Some elements, and the units that they take.
struct Counted {
  Index elements = 0;
  Index units = 0;
};

/// Counts the rows from `first` on, to the end of their stretch of `packet_rows` or until there are
/// `most` elements.
void count_packets(const RowView& matrix, Index first, Index most, ColumnSet& columns,
                   Counted& counted) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): written before it is read
  std::array<Index, packet_rows> lengths;
  const std::span rows(lengths.data(),
                       static_cast<std::size_t>(std::min(packet_rows, matrix.rows - first)));
  matrix.lengths(first, rows);
  Index end = first;
  Index elements = 0;
  for (const Index length : rows) {
    if (elements >= most) break;
    elements += length;
    ++end;
  }
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): written before it is read
  std::array<Column, static_cast<std::size_t>(packet_columns + 1)> buffer;
  cut_packets(
      columns, first, end, [&](Index i) { return matrix.columns(i, buffer); },
      [&](Index begin, Index, bool is_direct) {
        counted.units += units_of_packet;
        counted.units += is_direct ? rows[static_cast<std::size_t>(begin - first)]
                                   : units_of_column * columns.size();
      });
  counted.elements += elements;
  counted.units += elements;
}

/// No more than a packet for each `packet_rows` rows, and two for each `packet_columns` elements:
/// neighbouring packets do not fit into one.
double most_units(const Structure& structure) {
  const double nnz = static_cast<double>(structure.nnz) + structure.nnz_error;
  const auto stretches = static_cast<double>((structure.rows + packet_rows - 1) / packet_rows);
  const double packets = std::min(stretches + 2 * nnz / static_cast<double>(packet_columns),
                                  static_cast<double>(structure.rows));
  const double in_pieces =
      std::min(nnz, packets * static_cast<double>(std::min(structure.cols, packet_columns)));
  return nnz + double{units_of_column} * in_pieces + double{units_of_packet} * packets;
}

/// Counted or estimated from samples; nothing if no element is in them. Throws
/// `Error(OutOfMemory)`.
std::optional<double> units_in_rows(const Structure& structure, const RowView& rows) {
  ColumnSet columns;
  Counted counted;
  const Index stretches = (structure.rows + packet_rows - 1) / packet_rows;
  if (structure.rows + structure.nnz <= counted_rows_and_nonzeros) {
    for (Index s = 0; s < stretches; ++s) {
      count_packets(rows, s * packet_rows, whole_row, columns, counted);
    }
    return static_cast<double>(counted.units);
  }
  const Index wanted = std::clamp(structure.nnz / columns_for_one, fewest_columns, most_columns);
  const Index samples =
      std::min(std::clamp<Index>(wanted / columns_of_sample, 2, most_samples), stretches);
  for (Index s = 0; s < samples; ++s) {
    const Index stretch = (2 * s + 1) * stretches / (2 * samples);
    count_packets(rows, stretch * packet_rows, wanted / samples, columns, counted);
  }
  if (counted.elements == 0) return std::nullopt;
  const double each = static_cast<double>(counted.units) / static_cast<double>(counted.elements);
  return each * static_cast<double>(structure.nnz);
}

template <Element T>
void check_packet(const Packets<T>& matrix, Index p, const PacketSizes& before) {
  const PacketStart& packet = matrix.packets[p];
  const PacketStart& next = matrix.packets[p + 1];
  const Index rows = next.row - packet.row;
  const Index columns = next.piece - packet.piece;
  if (rows <= 0 || next.row > matrix.rows || columns < 0 || columns > packet_columns ||
      next.piece > matrix.pieces.size()) {
    refuse("packets that ascend, with no more columns than fit");
  }
  const Index begin = matrix.offset(packet.row);
  const bool is_direct = packet.is_direct == 1;
  if ((packet.is_direct != 0 && !is_direct) || (is_direct && (rows != 1 || columns != 0)) ||
      packet.shift != (is_direct ? begin - before.wide : before.wide)) {
    refuse("packets in their order, each with its kind of columns");
  }
  const Column* const piece = matrix.pieces.data() + packet.piece;
  for (Index c = 0; c < columns; ++c) {
    if (piece[c] < 0 || piece[c] >= matrix.cols || (c > 0 && piece[c] <= piece[c - 1])) {
      refuse("pieces whose columns ascend");
    }
  }
  const Index end = matrix.offset(next.row);
  const Index elements = is_direct ? matrix.wide.size() : matrix.narrow.size();
  if (end - packet.shift > elements) refuse("a column for each element");
  if (is_direct) return;
  for (Index k = begin; k < end; ++k) {
    if (matrix.narrow[k - packet.shift] >= columns) refuse("elements within their piece");
  }
}

}  // namespace

template <Element T>
Packets<T> Packets<T>::sized(const Packets& header, const PacketSizes& sizes,
                             const std::shared_ptr<MemorySpace>& memory) {
  (void)switchyard::narrow<Column>(header.cols);  // columns must fit
  (void)checked_product(header.rows, packet_rows);
  (void)checked_product(header.nnz, 1);
  Packets to = header.header();
  to.offsets = sized_offsets(to.rows + 1, to.nnz, memory);
  to.packets = Array<PacketStart>(sizes.packets + 1, memory);
  to.pieces = Array<Column>(sizes.pieces, memory);
  to.narrow = Array<std::uint16_t>(to.nnz - sizes.wide, memory);
  to.wide = Array<Column>(sizes.wide, memory);
  to.values = Array<T>(to.nnz, memory);
  return to;
}

template <Element T>
Index Packets<T>::packet_of(Index i) const noexcept {
  const auto starts = packets.span();
  const auto after = std::ranges::upper_bound(starts, i, {}, &PacketStart::row);
  return after - starts.begin() - 1;
}

template <Element T>
void Packets<T>::check() const {
  if (rows < 0 || cols < 0 || nnz < 0 || size_of(offsets) != rows + 1 || offset(0) != 0 ||
      offset(rows) != nnz || values.size() != nnz || narrow.size() + wide.size() != nnz) {
    refuse("rows + 1 offsets from 0 to the number of elements, and all of these");
  }
  for (Index i = 0; i < rows; ++i) {
    if (offset(i) > offset(i + 1)) refuse("offsets that ascend");
  }
  if (packets.size() == 0 || packets[0].row != 0 || packets[0].piece != 0 ||
      packets[count()].row != rows || packets[count()].piece != pieces.size()) {
    refuse("packets from the first row to the last, and pieces for them");
  }
  PacketSizes before;
  for (Index p = 0; p < count(); ++p) {
    check_packet(*this, p, before);
    if (packets[p].is_direct == 0) continue;
    before.wide += offset(packets[p + 1].row) - offset(packets[p].row);
  }
  if (before.wide != wide.size()) refuse("as many wide columns as direct packets have elements");
}

template <Element T>
void Packets<T>::row_lengths(Index first, std::span<Index> lengths) const noexcept {
  std::visit(
      [&](const auto& array) {
        const auto* const at = array.data() + first;
        for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = at[i + 1] - at[i];
      },
      offsets);
}

double packet_slots(const Structure& structure, const RowView* rows) {
  const double most = most_units(structure);
  if (!rows || structure.nnz == 0) return most;
  try {
    return std::min(units_in_rows(structure, *rows).value_or(most), most);
  } catch (const Error&) {
    return most;  // No memory to count with: what is known of a matrix must not fail for that.
  }
}

double packet_bytes(const Structure& structure, Index element_bytes) {
  const double units = std::round(structure.slots[static_cast<std::size_t>(Format::Packet)]);
  return double{unit_bytes} * units + double{sizeof(PacketStart)} +
         static_cast<double>(structure.nnz) * static_cast<double>(element_bytes) +
         static_cast<double>((structure.rows + 1) * offset_bytes(structure.nnz));
}

template struct Packets<float>;
template struct Packets<double>;

}  // namespace switchyard
