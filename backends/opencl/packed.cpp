// y = alpha A x + beta y for packed CSR, and its conversions from and to CSR, on a device.
#include "packed.hpp"

#include <tuple>
#include <vector>

#include "csr_lanes.hpp"
#include "device.hpp"
#include "kernel_sources.hpp"
#include "scan.hpp"

namespace switchyard::opencl {
namespace {

/// The programs of a format, as `defined_programs` names them.
struct PackedPrograms {
  std::string_view multiply;
  std::string_view convert;
};
constexpr PackedPrograms programs_of(Format format) {
  switch (format) {
    case Format::CsrConst:
      return {"csr_const_multiply", "csr_const_convert"};
    case Format::CsrDict8:
      return {"csr_dict8_multiply", "csr_dict8_convert"};
    case Format::Csr16Const:
      return {"csr16_const_multiply", "csr16_const_convert"};
    case Format::Csr16Dict8:
      return {"csr16_dict8_multiply", "csr16_dict8_convert"};
    case Format::Csr8:
      return {"csr8_multiply", "csr8_convert"};
    case Format::Csr8Const:
      return {"csr8_const_multiply", "csr8_const_convert"};
    case Format::Csr8Dict8:
      return {"csr8_dict8_multiply", "csr8_dict8_convert"};
    default:
      return {"csr16_multiply", "csr16_convert"};
  }
}

/// What the kernels for its format take of the columns. With offsets of that type, `first_heads`
/// has them as well.
template <class Offset, Element T, class Function>
void with_columns(const Packed<T>& a, const Function& function) {
  if (a.coding().columns == ColumnCoding::Tiled16) {
    function(std::tie(a.tiles, a.narrow, a.wide));
  } else if (a.coding().columns == ColumnCoding::Blocked8) {
    const auto words = static_cast<cl_uint>(words_of_head(a.cols));
    function(std::tie(std::get<Array<Offset>>(a.first_heads), a.heads, words, a.low));
  } else {
    function(std::tie(a.wide));
  }
}

/// Calls `function` with the arrays of offsets, columns and values that the kernels for its format
/// take, in one tuple. The first is the offsets.
template <Element T, class Function>
void with_arrays(const Packed<T>& a, const Function& function) {
  std::visit(
      [&]<class Offset>(const Array<Offset>& offsets) {
        with_columns<Offset>(a, [&](const auto& columns) {
          const auto some = std::tuple_cat(std::tie(offsets), columns);
          if (a.coding().values == ValueCoding::Dictionary8) {
            function(std::tuple_cat(some, std::tie(a.values, a.codes)));
          } else {
            function(std::tuple_cat(some, std::tie(a.values)));
          }
        });
      },
      a.offsets);
}

/// Launches a multiplication; `first` are the arguments before the arrays.
template <Element T, class... First>
void launch_multiply(const MultiplyArguments<T>& arguments, Device& device, Kernel& kernel,
                     Index groups, const First&... first) {
  with_arrays(std::get<Packed<T>>(arguments.matrix), [&](const auto& arrays) {
    std::apply(
        [&](const auto&... array) {
          device.launch(kernel, groups, first..., array..., arguments.alpha, arguments.x,
                        arguments.beta, arguments.y);
        },
        arrays);
  });
}

template <Element T>
Kernel& multiply_kernel(Device& device, const Packed<T>& a, std::string_view name) {
  const OffsetWidth width =
      std::visit([](const auto& offsets) { return width_of(offsets); }, a.offsets);
  return device.kernel({programs_of(a.format).multiply, precision_of<T>, width}, name);
}

/// Elements that an item of packed_wide reads at once (PORTION in the kernels).
constexpr Index wide_portion = 4;
/// The items that share a row in packed_wide: the 16 bits of a head reach over the heads of so
/// many.
constexpr Index most_wide_lanes = 256;

/// How the elements of tiles are shared among work-groups where columns are blocked.
struct TileShares {
  Index tiles = 0;
  Index parts = 1;  ///< of each tile
};

/// Several groups share a tile where tiles are too few to keep the device busy.
TileShares shares_of_tiles(const Device& device, Index rows, Index nnz, Index group) {
  TileShares shares{.tiles = divided_up(rows, packed_tile_rows)};
  if (shares.tiles == 0) return shares;
  const Index most = std::max<Index>(nnz / shares.tiles / (group * 8), 1);
  shares.parts = std::clamp<Index>(device.groups_wanted() / shares.tiles, 1, most);
  return shares;
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

/// Blocked columns of CSR. Waits once, for the number of heads.
template <Element T>
Packed<T> blocked(Device& device, const Csr<T>& from, Packed<T> to) {
  std::visit(
      [&]<class Offset>(const Array<Offset>& offsets) {
        const ProgramKey key{programs_of(to.format).convert, precision_of<T>, width_of(offsets)};
        const auto& first_heads = std::get<Array<Offset>>(to.first_heads);
        const auto groups = [](Index rows, const Kernel& kernel) {
          return groups_for(rows, std::min(nvidia_warp, kernel.group), kernel.group);
        };
        Kernel& count = device.kernel(key, "count_heads");
        const Array<std::uint32_t> counts(from.rows, device.memory());
        if (from.rows > 0) {
          device.launch(count, groups(from.rows, count), from.rows, offsets, from.columns, counts);
        }
        const ChunkSums sums = sum_chunks(device, precision_of<T>, from.rows, counts);
        write_offsets(device, precision_of<T>, from.rows, 1, counts, sums, first_heads,
                      first_heads);
        to.add_heads(total_of(device, sums), device.memory());
        if (from.rows == 0) return;
        Kernel& fill = device.kernel(key, "fill_blocked");
        device.launch(fill, groups(from.rows, fill), from.rows, offsets, from.columns, from.values,
                      first_heads, to.heads, static_cast<cl_uint>(words_of_head(to.cols)), to.low,
                      to.values);
      },
      from.offsets);
  return to;
}

/// Tiled columns of CSR. Waits once, for the elements of each tile.
template <Element T>
Packed<T> tiled(Device& device, const Csr<T>& from, Packed<T> to) {
  std::visit(
      [&](const auto& offsets) {
        const ProgramKey key{programs_of(to.format).convert, precision_of<T>, width_of(offsets)};
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
  const ProgramKey key{programs_of(from.format).convert, precision_of<T>, width};
  Kernel& kernel = device.kernel(key, "fill_values");
  const Index groups = std::min(divided_up(from.nnz, kernel.group), device.groups_wanted());
  if (from.coding().values == ValueCoding::Dictionary8) {
    device.launch(kernel, groups, from.nnz, from.values, from.codes, to.values);
  } else {
    device.launch(kernel, groups, from.nnz, from.values, to.values);
  }
}

/// The columns and values of CSR.
template <Element T>
void unpack(Device& device, const Packed<T>& from, Csr<T>& to) {
  with_arrays(from, [&](const auto& arrays) {
    const OffsetWidth width = width_of(std::get<0>(arrays));
    const ProgramKey key{programs_of(from.format).convert, precision_of<T>, width};
    Kernel& kernel = device.kernel(key, "fill_csr_from_packed");
    std::apply(
        [&](const auto&... array) {
          if (from.coding().columns == ColumnCoding::Tiled16) {
            const Index share = share_of_group(device, from.nnz, kernel.group);
            device.launch(kernel, divided_up(from.nnz, share), from.rows, share, array...,
                          to.columns, to.values);
            return;
          }
          const TileShares shares = shares_of_tiles(device, from.rows, from.nnz, kernel.group);
          device.launch(kernel, shares.tiles * shares.parts, from.rows,
                        static_cast<cl_uint>(shares.parts), array..., to.columns, to.values);
        },
        arrays);
  });
}

}  // namespace

template <Element T>
void multiply_packed_scalar(const MultiplyArguments<T>& arguments) {
  Device& device = device_of(arguments.executor);
  const auto& a = std::get<Packed<T>>(arguments.matrix);
  if (a.rows == 0) return;
  Kernel& kernel = multiply_kernel(device, a, "packed_scalar");
  launch_multiply(arguments, device, kernel, divided_up(a.rows, kernel.group), a.rows);
}

template <Element T>
void multiply_packed_vector(const MultiplyArguments<T>& arguments) {
  Device& device = device_of(arguments.executor);
  const auto& a = std::get<Packed<T>>(arguments.matrix);
  if (a.rows == 0) return;
  Kernel& kernel = multiply_kernel(device, a, "packed_vector");
  const Index lanes = csr_lanes<T>(device, kernel.group, a);
  launch_multiply(arguments, device, kernel, groups_for(a.rows, lanes, kernel.group), a.rows,
                  static_cast<cl_uint>(lanes));
}

template <Element T>
void multiply_packed_wide(const MultiplyArguments<T>& arguments) {
  Device& device = device_of(arguments.executor);
  const auto& a = std::get<Packed<T>>(arguments.matrix);
  if (a.rows == 0) return;
  Kernel& kernel = multiply_kernel(device, a, "packed_wide");
  const Index most = std::min(kernel.group, most_wide_lanes);
  const Index mean = divided_up(a.nnz, a.rows);
  const Index to_fill = std::min(lanes_to_fill(device, a.rows), mean / wide_portion);
  Index wanted = std::max(mean / device.tuning().packed_elements_per_lane, to_fill);
  // Items of a team take a head each: more teams than that have nothing to do.
  const bool by_heads = a.coding().columns == ColumnCoding::Blocked8;
  if (by_heads) {
    wanted = std::min(wanted, a.heads.size() / words_of_head(a.cols) / a.rows);
  }
  const Tuning& tuning = device.tuning();
  const Index in_warp = std::max(lanes_for(mean / tuning.packed_elements_in_warp, nvidia_warp),
                                 tuning.fewest_packed_lanes);
  const Index fewest = by_heads ? nvidia_warp : in_warp;
  const Index lanes = lanes_for(std::max(wanted, fewest), most);
  launch_multiply(arguments, device, kernel, groups_for(a.rows, lanes, kernel.group), a.rows,
                  static_cast<cl_uint>(lanes));
}

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
  if (from.coding().columns == ColumnCoding::Plain) {
    unpack_values(device, from, to);
  } else {
    unpack(device, from, to);
  }
  return to;
}

template void multiply_packed_scalar(const MultiplyArguments<float>&);
template void multiply_packed_scalar(const MultiplyArguments<double>&);
template void multiply_packed_vector(const MultiplyArguments<float>&);
template void multiply_packed_vector(const MultiplyArguments<double>&);
template void multiply_packed_wide(const MultiplyArguments<float>&);
template void multiply_packed_wide(const MultiplyArguments<double>&);
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
