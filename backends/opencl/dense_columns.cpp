// Products of a dense A or its transpose with many columns on a device: launching the kernels of
// dense_columns.cl.
#include "columns.hpp"
#include "csr_lanes.hpp"

namespace switchyard::opencl {
namespace {

template <Element T>
constexpr ProgramKey dense_columns_program{"dense_columns", precision_of<T>, OffsetWidth::Narrow};
/// The same kernels for few rows.
template <Element T>
constexpr ProgramKey low_program{"dense_columns_low", precision_of<T>, OffsetWidth::Narrow};
/// Rows that an item sums together (ROWS in dense_columns.cl).
constexpr Index rows_together = 8;
constexpr Index few_rows_together = 4;

/// Stretches of rows of the transpose at most, and bytes of their sums: both are read again.
constexpr Index most_stretches = 256;
constexpr Index most_bytes_of_sums = Index{1} << 28;

/// Whether each item sums few rows. Eight together read X less often (H200, 16384 x 16384 times
/// eight columns: 308 us, and 373 by four). But with few rows they leave multiprocessors idle (4096
/// x 4096: 58 us, and 42), with two columns there is little of X to read, and in double they take
/// too many registers (763 us, and 652).
template <Element T>
bool sums_few_rows(const Device& device, Index group, Index rows, Index columns) {
  if (!device.has_warps()) return false;
  return columns <= 2 || sizeof(T) == 8 ||
         rows < rows_together * group / nvidia_warp * device.facts().compute_units;
}

/// A kernel and the columns of its panels.
struct PanelKernel {
  std::string_view name;
  Index columns;
};

PanelKernel plain_kernel(const Device& device, Index columns, bool aligned) {
  if (!aligned) return {"dense_panel_unaligned", 8};
  if (columns <= 2) return {"dense_panel_2", 2};
  if (columns <= 4) return {"dense_panel_4", 4};
  if (columns <= 8 || !device.has_warps()) return {"dense_panel_8", 8};
  if (columns <= 16) return {"dense_panel_16", 16};
  return {"dense_panel_32", 32};
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

/// Items for each few rows: a warp, or more where that leaves groups idle.
Index lanes_for_rows(const Device& device, Index group, Index teams) {
  const Index warp = std::min(nvidia_warp, group);
  if (!device.has_warps()) return warp;
  const Index groups = divided_up(teams * warp, group);
  return lanes_for(warp * divided_up(device.facts().compute_units, groups), group / 2);
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
  const bool few = sums_few_rows<T>(device, device.tuning().large_group, a.rows, k);
  const PanelKernel panel = plain_kernel(device, k, is_aligned<T>(a.cols));
  Kernel& kernel = device.kernel(few ? low_program<T> : dense_columns_program<T>, panel.name);
  const Index teams = divided_up(a.rows, few ? few_rows_together : rows_together);
  const Index lanes = lanes_for_rows(device, kernel.group, teams);
  const Index panels = divided_up(k, panel.columns);
  const Index groups = groups_for(teams, lanes, kernel.group);
  device.launch(kernel, groups * panels, a.rows, a.cols, static_cast<cl_uint>(k),
                static_cast<cl_uint>(lanes), static_cast<cl_uint>(panels), a.values,
                arguments.alpha, arguments.x, arguments.beta, arguments.y);
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
