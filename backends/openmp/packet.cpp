// y = alpha A x + beta y for packets, and their conversions from and to CSR, on the host's threads.
#include "packet.hpp"

#include <array>
#include <vector>

#include "copy_arrays.hpp"
#include "packed_kernels.hpp"
#include "row_shares.hpp"

namespace switchyard::openmp {
namespace {

/// Packets, for `multiply_in_shares`: the loops are those of packed CSR, with a piece of x.
template <Element T, class Offset>
struct TeamRows {
  using Element = T;
  static constexpr auto plain = static_cast<std::size_t>(ValueCoding::Plain);
  const Packets<T>& a;
  const PackedKernels<T>& kernels;
  PackedRows<T, Offset> work;  // with all of x

  void multiply(Index begin, Index end) const {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): written before it is read
    std::array<T, static_cast<std::size_t>(packet_columns)> piece;
    for (Index p = begin < end ? a.packet_of(begin) : 0; begin < end; ++p) {
      const PacketStart& packet = a.packets[p];
      const PacketStart& next = a.packets[p + 1];
      const bool is_direct = packet.is_direct != 0;
      PackedRows<T, Offset> rows = work;
      // Element k of the matrix is read at k, as that of plain CSR is.
      if (is_direct) {
        rows.columns = a.wide.data() - packet.shift;
      } else {
        for (Index c = packet.piece; c < next.piece; ++c) {
          piece[static_cast<std::size_t>(c - packet.piece)] = work.x[a.pieces[c]];
        }
        rows.columns = a.narrow.data() - packet.shift;
        rows.x = piece.data();
      }
      rows.readable = work.offsets[next.row];
      run_rows(is_direct ? kernels.wide[plain] : kernels.narrow[plain], rows, begin,
               std::min(next.row, end));
      begin = next.row;
    }
  }

  /// Only rows of direct packets are long enough to be cut.
  [[nodiscard]] T sum(Index row, Index begin, Index end) const {
    const PacketStart& packet = a.packets[a.packet_of(row)];
    return kernels.wide[plain].sum(work.values, a.wide.data() - packet.shift, work.x, begin, end);
  }
};
static_assert(nonzeros_worth_cutting >= packet_columns);

template <Element T>
std::span<const Column> columns_of_row(const Csr<T>& csr, Index i) {
  const Index begin = csr.offset(i);
  return {csr.columns.data() + begin, static_cast<std::size_t>(csr.offset(i + 1) - begin)};
}

/// Cuts the rows of stretch s of `packet_rows` rows: see `cut_packets`.
template <Element T, class Close>
void cut_stretch(const Csr<T>& from, Index s, ColumnSet& columns, const Close& close) {
  cut_packets(
      columns, s * packet_rows, std::min((s + 1) * packet_rows, from.rows),
      [&](Index i) { return columns_of_row(from, i); }, close);
}

template <Element T>
PacketSizes sizes_of_stretch(const Csr<T>& from, Index s, ColumnSet& columns) {
  PacketSizes sizes;
  cut_stretch(from, s, columns, [&](Index first, Index, bool is_direct) {
    ++sizes.packets;
    if (is_direct) {
      sizes.wide += std::ssize(columns_of_row(from, first));
    } else {
      sizes.pieces += columns.size();
    }
  });
  return sizes;
}

/// Writes the packets of a stretch, of which so many are before.
template <Element T>
void fill_stretch(const Csr<T>& from, Packets<T>& to, Index s, PacketSizes before,
                  ColumnSet& columns) {
  cut_stretch(from, s, columns, [&](Index first, Index end, bool is_direct) {
    const Index begin = from.offset(first);
    const Index count = from.offset(end) - begin;
    PacketStart& packet = to.packets[before.packets++];
    packet = {first, before.pieces, is_direct ? begin - before.wide : before.wide, is_direct};
    const Column* const source = from.columns.data() + begin;
    if (is_direct) {
      std::copy_n(source, count, to.wide.data() + before.wide);
      before.wide += count;
      return;
    }
    columns.sort_into(to.pieces.data() + before.pieces);
    before.pieces += columns.size();
    std::uint16_t* const places = to.narrow.data() + (begin - packet.shift);
    for (Index k = 0; k < count; ++k) {
      places[k] = static_cast<std::uint16_t>(columns.place_of(source[k]));
    }
  });
}

/// Replaces the sizes of each stretch by those of all before it, and returns those of all.
PacketSizes add_up(std::span<PacketSizes> sizes) {
  PacketSizes sum;
  for (PacketSizes& here : sizes) {
    const PacketSizes before = sum;
    sum.packets += here.packets;
    sum.pieces += here.pieces;
    sum.wide += here.wide;
    here = before;
  }
  return sum;
}

}  // namespace

template <Element T>
void multiply_packets(const MultiplyArguments<T>& arguments) {
  const auto& a = std::get<Packets<T>>(arguments.matrix);
  const auto bytes = static_cast<Index>(bytes_of(arguments.matrix));
  const Shares shares = shares_of_product(arguments, bytes);
  std::visit(
      [&]<class Offset>(const Array<Offset>& offsets) {
        const PackedRows<T, Offset> work{.offsets = offsets.data(),
                                         .columns = nullptr,
                                         .values = {a.values.data(), nullptr},
                                         .nnz = a.nnz,
                                         .readable = a.nnz,
                                         .alpha = arguments.alpha,
                                         .x = arguments.x.data(),
                                         .beta = arguments.beta,
                                         .y = arguments.y.data()};
        multiply_in_shares(TeamRows<T, Offset>{a, best_packed_kernels<T>(), work}, a.rows, shares);
      },
      a.offsets);
}

template <Element T>
Storage<T> convert_csr_to_packets(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Csr<T>>(matrix);
  const Shares shares =
      shares_of_work(executor, from.nnz * Index{sizeof(T) + sizeof(Column)} + from.rows);
  const Index stretches = (from.rows + packet_rows - 1) / packet_rows;
  std::vector<ColumnSet> columns(static_cast<std::size_t>(shares.parts));
  std::vector<PacketSizes> sizes(static_cast<std::size_t>(stretches));
  const auto for_stretches = [&](const auto& work) {
    share_out(shares, [&](int part) {
      const Index end = part_begin(stretches, part + 1, shares.parts);
      for (Index s = part_begin(stretches, part, shares.parts); s < end; ++s) {
        work(s, sizes[static_cast<std::size_t>(s)], columns[static_cast<std::size_t>(part)]);
      }
    });
  };
  for_stretches(
      [&](Index s, PacketSizes& here, ColumnSet& set) { here = sizes_of_stretch(from, s, set); });
  const PacketSizes all = add_up(sizes);
  auto to = Packets<T>::sized({from.rows, from.cols, from.nnz, {}, {}, {}, {}, {}, {}}, all,
                              executor.memory());
  for_stretches([&](Index s, const PacketSizes& before, ColumnSet& set) {
    fill_stretch(from, to, s, before, set);
  });
  to.packets[all.packets] = {from.rows, all.pieces, 0, 0};
  copy_offsets(from.offsets, to.offsets, shares);
  copy_elements(from.values, to.values, shares);
  return to;
}

template <Element T>
Storage<T> convert_packets_to_csr(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Packets<T>>(matrix);
  auto to = Csr<T>::sized(from.rows, from.cols, from.nnz, executor.memory());
  const Shares shares =
      shares_of_work(executor, from.nnz * Index{sizeof(T) + sizeof(Column)} + from.rows);
  copy_offsets(from.offsets, to.offsets, shares);
  copy_elements(from.values, to.values, shares);
  share_out_items(shares, from.count(), 1, [&](Index begin, Index end) {
    for (Index p = begin; p < end; ++p) {
      const PacketStart& packet = from.packets[p];
      const Index last = from.offset(from.packets[p + 1].row);
      for (Index k = from.offset(packet.row); k < last; ++k) {
        to.columns[k] = from.column(packet, k);
      }
    }
  });
  return to;
}

template void multiply_packets(const MultiplyArguments<float>&);
template void multiply_packets(const MultiplyArguments<double>&);
template Storage<float> convert_csr_to_packets(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_packets(Executor&, const Storage<double>&);
template Storage<float> convert_packets_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_packets_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::openmp
