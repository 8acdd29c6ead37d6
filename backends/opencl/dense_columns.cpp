// Products of a dense A or its transpose with many columns on a device: launching the kernels of
// dense_columns.cl, dense_tiles.cl and dense_doubles.cl.
#include <limits>

#include "columns.hpp"
#include "csr_lanes.hpp"

namespace switchyard::opencl {
namespace {

template <Element T>
constexpr ProgramKey dense_columns_program{"dense_columns", precision_of<T>, OffsetWidth::Narrow};
template <Element T>
constexpr ProgramKey tiles_program{"dense_tiles", precision_of<T>, OffsetWidth::Narrow};
/// Rows that an item sums together (ROWS in dense_columns.cl).
constexpr Index rows_together = 4;
/// More columns are multiplied by tiles; in double, where the device multiplies tiles of them at
/// once, more than a few.
constexpr Index widest_panel = 8;
constexpr Index narrow_panel = 4;
/// Fewer rows leave most of a tile empty. A guess, not measured.
constexpr Index fewest_rows_of_tiles = 48;

/// Columns of A by which stretches are measured: rows of them are whole vectors of 16 bytes.
constexpr Index unit_of_stretches = 128;
/// The shortest stretches of a row, in columns: shorter ones cost more sums than they keep
/// multiprocessors busy. Guesses, not measured.
constexpr Index shortest_of_panels = 1024;
constexpr Index shortest_of_tiles = 256;

/// Stretches of rows of the transpose at most, and bytes of their sums: both are read again.
constexpr Index most_stretches = 256;
constexpr Index most_bytes_of_sums = Index{1} << 28;

/// A kernel and the columns of its panels.
struct PanelKernel {
  std::string_view name;
  Index columns;
  /// Work-groups that a compute unit runs at once, as registers and local memory allow (H200,
  /// 16384 x 16384 in float: 16 columns 300 us with four groups for each unit, 404 with five; 32
  /// columns 463 with three, 481 with four; 64 columns 851 and 885).
  Index at_once;
  Index rows_of_two = 0;  ///< rows of A for each two items, where tiles are multiplied
};

/// A kernel for two columns alone took longer (271 us) than that for four takes with four (254).
PanelKernel panel_kernel(Index columns, bool aligned) {
  if (!aligned) return {"dense_panel_unaligned", 8, 2};
  if (columns <= 4) return {"dense_panel_4", 4, 2};
  return {"dense_panel_8", 8, 2};
}

/// The kernel for tiles of that many columns or of as many as fit. Of 64 only where more than half
/// of the last panel is filled.
PanelKernel tile_kernel(Index columns, bool aligned) {
  if (!aligned) return {"dense_tiles_unaligned", 32, 3, 2};
  if (columns <= 16) return {"dense_tiles_16", 16, 4, 4};
  if ((columns - 1) % 64 < 32) return {"dense_tiles_32", 32, 3, 2};
  return {"dense_tiles_64", 64, 3, 2};
}

/// The same where the device multiplies tiles in double at once.
PanelKernel doubles_kernel(Index columns, bool aligned) {
  if (!aligned) return {"dense_doubles_unaligned", 32, 4, 1};
  if (columns <= 8) return {"dense_doubles_8", 8, 4, 1};
  if (columns <= 16) return {"dense_doubles_16", 16, 4, 1};
  return {"dense_doubles_32", 32, 4, 1};
}

/// The same of a product with the transpose: the columns of A that an item has.
struct StretchKernel {
  std::string_view name;
  Index columns;
  bool wide = false;  ///< an item has 16 bytes of each row
};

StretchKernel transposed_kernel(Index columns, bool aligned) {
  if (columns == 1) return {aligned ? "dense_transposed_wide_1" : "dense_transposed_1", 1, aligned};
  if (aligned && columns % 8 == 0) return {"dense_transposed_wide_8", 8, true};
  if (aligned && columns % 4 == 0) return {"dense_transposed_wide_4", 4, true};
  return {"dense_transposed_4", 4};
}

/// Items for each few rows: a warp, or twice as many where that leaves groups idle.
Index lanes_for_rows(const Device& device, Index group, Index teams) {
  const Index warp = std::min(nvidia_warp, group);
  const Index groups = divided_up(teams * warp, group);
  const bool idle = device.has_warps() && groups < device.facts().compute_units;
  return idle ? std::min(2 * warp, group / 2) : warp;
}

/// Into how many stretches to cut the columns of A, where each is worth `groups` work-groups of
/// which `slots` run at once, so that the last round of them is about full. Each more has sums that
/// are written, and read again.
Index stretches_of_columns(Index groups, Index slots, Index most) {
  constexpr double cost_of_sums = 0.02;
  Index best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (Index stretches = 1; stretches <= std::min(most, divided_up(2 * slots, groups));
       ++stretches) {
    const auto rounds = static_cast<double>(divided_up(groups * stretches, slots));
    const auto count = static_cast<double>(stretches);
    const double cost = rounds / count * (1 + cost_of_sums * count);
    if (cost >= least) continue;
    best = stretches;
    least = cost;
  }
  return best;
}

/// How Y = A X is cut into work-groups: so many blocks of rows, panels of columns of X and
/// stretches of columns of A.
struct Cut {
  Index blocks = 1;
  Index panels = 1;
  Index stretches = 1;
  Index length = 0;  ///< of a stretch

  [[nodiscard]] Index groups() const noexcept { return blocks * panels * stretches; }
};

/// For blocks of rows that are `blocks`, and stretches no shorter than `shortest`.
template <Element T>
Cut cut_for(const MultiplyArguments<T>& arguments, const Device& device, const PanelKernel& kernel,
            Index blocks, Index shortest) {
  const Index cols = std::get<Dense<T>>(arguments.matrix).cols;
  Cut cut{.blocks = blocks, .panels = divided_up(arguments.columns, kernel.columns)};
  const Index bytes = arguments.y.size() * Index{sizeof(T)};
  const Index room = most_bytes_of_sums / std::max<Index>(bytes, 1);
  const Index most = std::clamp<Index>(std::min(room, cols / shortest), 1, most_stretches);
  const Index slots = kernel.at_once * device.facts().compute_units;
  const Index wanted = stretches_of_columns(blocks * cut.panels, slots, most);
  cut.length = divided_up(divided_up(cols, wanted), unit_of_stretches) * unit_of_stretches;
  cut.stretches = std::max<Index>(divided_up(cols, std::max<Index>(cut.length, 1)), 1);
  return cut;
}

/// Calls `launch` with what it is to update: Y, or where there are several stretches, an array with
/// room for the sums of each. These are then added in their order.
template <Element T, class Launch>
void add_up(const MultiplyArguments<T>& arguments, Device& device, const Cut& cut,
            const Launch& launch) {
  if (cut.stretches == 1) return launch(arguments.y);
  // Built before anything is written.
  Kernel& finish = device.kernel(dense_columns_program<T>, "add_stretches");
  const Index size = arguments.y.size();
  const Array<T> sums(size * cut.stretches, device.memory());
  launch(sums);
  device.launch(finish, divided_up(size, finish.group), size, cut.stretches, sums, arguments.alpha,
                arguments.beta, arguments.y);
}

/// A few items for each few rows, striding along them.
template <Element T>
void multiply_by_panels(const MultiplyArguments<T>& arguments, Device& device, bool aligned) {
  const auto& a = std::get<Dense<T>>(arguments.matrix);
  const Index k = arguments.columns;
  const PanelKernel panel = panel_kernel(k, aligned);
  Kernel& kernel = device.kernel(dense_columns_program<T>, panel.name);
  const Index teams = divided_up(a.rows, rows_together);
  const Index lanes = lanes_for_rows(device, kernel.group, teams);
  const Cut cut =
      cut_for(arguments, device, panel, groups_for(teams, lanes, kernel.group), shortest_of_panels);
  add_up(arguments, device, cut, [&](const Array<T>& y) {
    device.launch(kernel, cut.groups(), a.rows, a.cols, static_cast<cl_uint>(k),
                  static_cast<cl_uint>(lanes), static_cast<cl_uint>(cut.panels),
                  static_cast<cl_uint>(cut.stretches), cut.length, a.values, arguments.alpha,
                  arguments.x, arguments.beta, y);
  });
}

/// Tiles of A and X in local memory.
template <Element T>
void multiply_by_tiles(const MultiplyArguments<T>& arguments, Device& device,
                       const PanelKernel& tiles) {
  const auto& a = std::get<Dense<T>>(arguments.matrix);
  const Index k = arguments.columns;
  Kernel& kernel = device.kernel(tiles_program<T>, tiles.name);
  const Index rows = kernel.group * tiles.rows_of_two / 2;
  const Cut cut = cut_for(arguments, device, tiles, divided_up(a.rows, rows), shortest_of_tiles);
  add_up(arguments, device, cut, [&](const Array<T>& y) {
    device.launch(kernel, cut.groups(), a.rows, a.cols, static_cast<cl_uint>(k),
                  static_cast<cl_uint>(cut.panels), static_cast<cl_uint>(cut.stretches), cut.length,
                  a.values, arguments.alpha, arguments.x, arguments.beta, y);
  });
}

/// Stretches of rows that keep the device busy with `groups` groups for each.
Index stretches_for(const Device& device, Index rows, Index groups, Index columns, Index bytes) {
  const Index room = most_bytes_of_sums / std::max<Index>(bytes, 1);
  // More registers, fewer groups at once: groups of one more round are then a large part of all
  // (H200, 16384 x 16384: one column 241 us with 8 for each unit, 246 with 16; eight columns 470
  // and 398).
  const Index part = columns < 8 ? 8 : 4;
  const Index wanted = divided_up(device.groups_wanted() / part, groups);
  return std::clamp<Index>(std::min({wanted, room, rows / 32}), 1, most_stretches);
}

/// Whether rows of so many elements are whole vectors of 16 bytes.
template <Element T>
constexpr bool is_aligned(Index cols) {
  return cols % (16 / Index{sizeof(T)}) == 0;
}

}  // namespace

template <Element T>
void multiply_dense_columns(const MultiplyArguments<T>& arguments) {
  Device& device = device_of(arguments.executor);
  const auto& a = std::get<Dense<T>>(arguments.matrix);
  const Index k = arguments.columns;
  if (a.rows == 0) return;
  const bool aligned = is_aligned<T>(a.cols);
  const bool fills_tiles = a.rows >= fewest_rows_of_tiles;
  if (fills_tiles && sizeof(T) == 8 && k > narrow_panel && device.multiplies_doubles()) {
    return multiply_by_tiles(arguments, device, doubles_kernel(k, aligned));
  }
  if (fills_tiles && k > widest_panel) {
    return multiply_by_tiles(arguments, device, tile_kernel(k, aligned));
  }
  multiply_by_panels(arguments, device, aligned);
}

template <Element T>
void multiply_dense_transposed(const MultiplyArguments<T>& arguments) {
  Device& device = device_of(arguments.executor);
  const auto& a = std::get<Dense<T>>(arguments.matrix);
  const Index k = arguments.columns;
  const Index size = a.cols * k;
  if (size == 0) return;
  const StretchKernel panel = transposed_kernel(k, is_aligned<T>(a.cols));
  Kernel& kernel = device.kernel(dense_columns_program<T>, panel.name);
  const Index panels = divided_up(k, panel.columns);
  const Index each = panel.wide ? 16 / Index{sizeof(T)} : 1;
  const Index blocks = divided_up(a.cols, kernel.group * each);
  const Index stretches =
      stretches_for(device, a.rows, blocks * panels, panel.columns, size * Index{sizeof(T)});
  const Array<T> partial(size * stretches, device.memory());
  device.launch(kernel, blocks * panels * stretches, a.rows, a.cols, static_cast<cl_uint>(k),
                static_cast<cl_uint>(panels), blocks, divided_up(a.rows, stretches), a.values,
                arguments.x, partial);
  Kernel& finish = device.kernel(dense_columns_program<T>, "add_stretches");
  device.launch(finish, divided_up(size, finish.group), size, stretches, partial, arguments.alpha,
                arguments.beta, arguments.y);
}

template void multiply_dense_columns(const MultiplyArguments<float>&);
template void multiply_dense_columns(const MultiplyArguments<double>&);
template void multiply_dense_transposed(const MultiplyArguments<float>&);
template void multiply_dense_transposed(const MultiplyArguments<double>&);

}  // namespace switchyard::opencl
