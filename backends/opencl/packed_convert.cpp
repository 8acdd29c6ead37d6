// Conversions of packed CSR from and to CSR on a device.
#include <utility>
#include <vector>

#include "element_tiles.hpp"
#include "packed.hpp"
#include "packed_arrays.hpp"
#include "scan.hpp"

namespace switchyard::opencl {
namespace {

/// The program of a format's conversions.
template <Element T>
ProgramKey conversions_of(Format format, OffsetWidth width) {
  return {packed_programs(format).convert, precision_of<T>, width};
}

/// Elements of each work-group where all have as many: sixteen for each item, fewer where that
/// leaves the device idle.
Index share_of_group(const Device& device, Index nnz, Index group) {
  return std::clamp(divided_up(nnz, device.groups_wanted()), group, 16 * group);
}

/// Turns the elements of each tile, as the device counted them, into its shift. Returns the
/// elements in narrow tiles. Waits for the device.
Index shift_tiles(Device& device, Array<PackedTile>& tiles) {
  std::vector<PackedTile> here(static_cast<std::size_t>(tiles.size()));
  if (here.empty()) return 0;
  device.memory()->copy_out(here.data(), tiles.handle(), 0, tiles.bytes());
  Index narrow = 0;
  Index wide = 0;
  for (PackedTile& tile : here) {
    const bool is_wide = tile.base < 0;
    const Index elements = std::exchange(tile.shift, is_wide ? narrow : wide);
    (is_wide ? wide : narrow) += elements;
  }
  device.memory()->copy_in(tiles.handle(), 0, here.data(), tiles.bytes());
  return narrow;
}

/// Where heads begin among the elements: a bit for each, and for each word of them the heads before
/// it.
template <class Offset>
struct HeadMarks {
  Array<std::uint32_t> bits;
  Array<Offset> starts;
  Index heads = 0;  ///< of all
};

/// Waits once, for the number of heads.
template <Element T, class Offset>
HeadMarks<Offset> mark_heads(Device& device, const ProgramKey& key, const Csr<T>& from,
                             const Array<Offset>& offsets) {
  Kernel& mark = device.kernel(key, "mark_heads");
  const Index tiles = divided_up(from.nnz, tile_elements(mark.group));
  const Index words = tiles * tile_elements(mark.group) / 32;
  HeadMarks<Offset> marks{Array<std::uint32_t>(words, device.memory()),
                          Array<Offset>(words + 1, device.memory())};
  const Array<std::uint32_t> counts(words, device.memory());
  if (tiles > 0) {
    const Array<std::int64_t> tile_rows =
        rows_of_tiles(device, key, from.rows, from.nnz, offsets, tiles);
    device.launch(mark, tiles, from.nnz, tile_rows, offsets, from.columns, marks.bits, counts);
  }
  const ChunkSums sums = sum_chunks(device, precision_of<T>, words, counts);
  write_offsets(device, precision_of<T>, words, 1, counts, sums, marks.starts, marks.starts);
  marks.heads = total_of(device, sums);
  return marks;
}

/// Blocked columns of CSR. Waits once.
template <Element T>
Packed<T> blocked(Device& device, const Csr<T>& from, Packed<T> to) {
  std::visit(
      [&]<class Offset>(const Array<Offset>& offsets) {
        const ProgramKey key = conversions_of<T>(to.format, width_of(offsets));
        const HeadMarks<Offset> marks = mark_heads(device, key, from, offsets);
        Kernel& find = device.kernel(key, "find_first_heads");
        device.launch(find, divided_up(from.rows + 1, find.group), from.rows, offsets, marks.bits,
                      marks.starts, std::get<Array<Offset>>(to.first_heads));
        to.add_heads(marks.heads, device.memory());
        if (from.nnz == 0) return;
        Kernel& fill = device.kernel(key, "fill_blocked");
        device.launch(fill, divided_up(from.nnz, fill.group), from.nnz, marks.bits, marks.starts,
                      from.columns, from.values, to.heads,
                      static_cast<cl_uint>(words_of_head(to.cols)), to.low, to.values);
      },
      from.offsets);
  return to;
}

/// Tiled columns of CSR. Waits once, for the elements of each tile.
template <Element T>
Packed<T> tiled(Device& device, const Csr<T>& from, Packed<T> to) {
  std::visit(
      [&](const auto& offsets) {
        const ProgramKey key = conversions_of<T>(to.format, width_of(offsets));
        Kernel& lay = device.kernel(key, "lay_tiles");
        const Index tiles = to.tiles.size();
        if (tiles > 0) {
          device.launch(lay, divided_up(tiles, lay.group), from.rows, offsets, from.columns,
                        to.tiles);
        }
        to.add_columns(shift_tiles(device, to.tiles), device.memory());
        if (from.nnz == 0) return;
        Kernel& fill = device.kernel(key, "fill_packed");
        const Index share = share_of_group(device, from.nnz, fill.group);
        device.launch(fill, divided_up(from.nnz, share), from.rows, share, offsets, from.columns,
                      from.values, to.tiles, to.narrow, to.wide, to.values);
      },
      from.offsets);
  return to;
}

/// What the values of CSR are, where it shares the columns.
template <Element T>
void unpack_values(Device& device, const Packed<T>& from, Csr<T>& to) {
  const OffsetWidth width =
      std::visit([](const auto& offsets) { return width_of(offsets); }, from.offsets);
  Kernel& kernel = device.kernel(conversions_of<T>(from.format, width), "fill_values");
  const Index groups = std::min(divided_up(from.nnz, kernel.group), device.groups_wanted());
  if (from.coding().values == ValueCoding::Dictionary8) {
    device.launch(kernel, groups, from.nnz, from.values, from.codes, to.values);
  } else {
    device.launch(kernel, groups, from.nnz, from.values, to.values);
  }
}

/// The columns and values of CSR, from tiles.
template <Element T>
void unpack_tiles(Device& device, const Packed<T>& from, Csr<T>& to) {
  with_arrays(from, [&](const auto& arrays) {
    const OffsetWidth width = width_of(std::get<0>(arrays));
    Kernel& kernel = device.kernel(conversions_of<T>(from.format, width), "fill_csr_from_packed");
    const Index share = share_of_group(device, from.nnz, kernel.group);
    std::apply(
        [&](const auto&... array) {
          device.launch(kernel, divided_up(from.nnz, share), from.rows, share, array..., to.columns,
                        to.values);
        },
        arrays);
  });
}

/// Heads of a stretch, which a work-group unpacks (STRETCH in packed_convert.cl).
constexpr Index heads_of_stretch = 128;

/// The same from heads.
template <Element T>
void unpack_heads(Device& device, const Packed<T>& from, Csr<T>& to) {
  const auto words = static_cast<cl_uint>(words_of_head(from.cols));
  const Index heads = from.heads.size() / words;
  const Index stretches = divided_up(heads, heads_of_stretch);
  with_arrays(from, [&](const auto& arrays) {
    const auto& offsets = std::get<0>(arrays);
    const ProgramKey key = conversions_of<T>(from.format, width_of(offsets));
    Kernel& count = device.kernel(key, "count_elements");
    const Array<std::uint32_t> counts(stretches, device.memory());
    device.launch(count, divided_up(stretches, count.group), from.nnz, heads, from.heads, words,
                  counts);
    const std::decay_t<decltype(offsets)> starts(stretches + 1, device.memory());
    const ChunkSums sums = sum_chunks(device, precision_of<T>, stretches, counts);
    write_offsets(device, precision_of<T>, stretches, 1, counts, sums, starts, starts);
    Kernel& fill = device.kernel(key, "fill_csr_from_packed");
    std::apply(
        [&](const auto& /*offsets*/, const auto& /*first_heads*/, const auto&... array) {
          device.launch(fill, stretches, from.nnz, heads, starts, array..., to.columns, to.values);
        },
        arrays);
  });
}

}  // namespace

template <Element T, Format format>
Storage<T> convert_csr_to_packed(Executor& executor, const Storage<T>& matrix) {
  Device& device = device_of(executor);
  const auto& from = std::get<Csr<T>>(matrix);
  auto to = Packed<T>::beside(from, format, device.memory());
  if constexpr (packed_coding(format).columns == ColumnCoding::Blocked8) {
    return blocked(device, from, std::move(to));
  } else {
    return tiled(device, from, std::move(to));
  }
}

template <Element T>
Storage<T> convert_packed_to_csr(Executor& executor, const Storage<T>& matrix) {
  Device& device = device_of(executor);
  const auto& from = std::get<Packed<T>>(matrix);
  auto to = from.csr_beside(device.memory());
  if (from.nnz == 0) return to;
  switch (from.coding().columns) {
    case ColumnCoding::Plain:
      unpack_values(device, from, to);
      break;
    case ColumnCoding::Tiled16:
      unpack_tiles(device, from, to);
      break;
    case ColumnCoding::Blocked8:
      unpack_heads(device, from, to);
      break;
  }
  return to;
}

template Storage<float> convert_csr_to_packed<float, Format::Csr16>(Executor&,
                                                                    const Storage<float>&);
template Storage<double> convert_csr_to_packed<double, Format::Csr16>(Executor&,
                                                                      const Storage<double>&);
template Storage<float> convert_csr_to_packed<float, Format::Csr8>(Executor&,
                                                                   const Storage<float>&);
template Storage<double> convert_csr_to_packed<double, Format::Csr8>(Executor&,
                                                                     const Storage<double>&);
template Storage<float> convert_packed_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_packed_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::opencl
