// Y = alpha A X + beta Y for many columns on a device: choosing the launch for each variant.
#include "columns.hpp"

#include <array>

#include "bins.hpp"
#include "csr_kernel.hpp"
#include "csr_lanes.hpp"

namespace switchyard::opencl {
namespace {

/// Columns of an item, and nonzeros that it asks for at once (see csr_columns.cl).
constexpr Index columns_each = 4;
constexpr Index nonzeros_each = 4;
/// Nonzeros of the mean row for each team: fewer wait for each other longer than they save (1.6
/// million rows of 5, eight columns: 66 us with one team a row, 83 with two).
constexpr Index nonzeros_per_team = 8;
/// The same where a team has two rows at once (prototypes, eight columns: 1.7 million rows of 20
/// 550 us with four teams a row, 660 with two; G3_circuit, of 5, 73 us with two and 60 with one).
constexpr Index nonzeros_per_team_of_pairs = 6;

/// Neighbouring items that share a nonzero, and panels of as many columns as they have.
struct Across {
  Index items = 1;
  Index panels = 1;
};

Across across_for(Index columns, Index group) {
  const Index items = lanes_for(divided_up(columns, columns_each), std::min(nvidia_warp, group));
  return {items, divided_up(columns, items * columns_each)};
}

/// The kernel of a family for rows of X that are read by fours, by twos or by single elements.
std::string_view by_width(Index columns, const std::array<std::string_view, 3>& family) {
  return family[columns % 4 == 0 ? 0 : columns % 2 == 0 ? 1 : 2];
}

constexpr std::array<std::string_view, 3> short_rows{"csr_columns_four", "csr_columns_two",
                                                     "csr_columns_one"};
constexpr std::array<std::string_view, 3> long_rows{
    "csr_columns_four_quads", "csr_columns_two_quads", "csr_columns_one_quads"};
constexpr std::array<std::string_view, 3> pairs_of_rows{
    "csr_columns_four_pairs", "csr_columns_two_pairs", "csr_columns_one_pairs"};
constexpr std::array<std::string_view, 3> binned_rows{
    "csr_columns_binned_four", "csr_columns_binned_two", "csr_columns_binned_one"};

/// How the items of a work-group share rows.
struct ColumnLaunch {
  std::string_view kernel;
  Index lanes = 1;     ///< items that share a row, or `rows` of them
  Index rows = 1;      ///< that a team has at once
  Index long_row = 0;  ///< more nonzeros are left to the whole group, or warp
};

/// Items that share a row, a power of two: a few, so that many rows walk through X together and
/// share what caches hold of it. More where rows are too few to fill the device, and a warp where
/// that still leaves each team many nonzeros.
Index lanes_for_row(const Device& device, Index rows, Index mean, Index across) {
  const Tuning& tuning = device.tuning();
  if (across == 1 && mean >= tuning.mean_for_column_warps) return nvidia_warp;
  return std::max(tuning.column_lanes, lanes_to_fill(device.facts(), rows) / 2);
}

/// For a matrix with rows. Of columns of CSC nobody knows how long they are: a group takes long
/// ones, not a warp.
template <Element T>
ColumnLaunch launch_for(const Device& device, Index group, const Storage<T>& matrix, Index columns,
                        Index across) {
  const Csr<T>& a = compressed_rows(matrix);
  const Index rows = a.rows;
  const Index mean = divided_up(a.nnz, rows);
  const Tuning& tuning = device.tuning();
  const Index warp = std::min(nvidia_warp, group);
  const Index lanes = lanes_for(lanes_for_row(device, rows, mean, across), warp);
  const bool pairs = format_of(matrix) == Format::Csr &&
                     takes_pairs(device.facts(), rows, static_cast<double>(mean));
  const Index each = pairs ? nonzeros_per_team_of_pairs : nonzeros_per_team;
  const Index teams = lanes_for(divided_up(mean, each), std::max<Index>(lanes / across, 1));
  const bool by_quads = !pairs && mean >= tuning.quads_per_team * nonzeros_each * teams;
  const Index most = pairs ? tuning.long_row_per_team_of_pairs : tuning.long_row_per_team;
  const Index long_row = std::max(most * teams, tuning.long_row_means * mean);
  return {by_width(columns, pairs      ? pairs_of_rows
                            : by_quads ? long_rows
                                       : short_rows),
          across * teams, pairs ? tuning.rows_of_team : 1, std::min<Index>(long_row, INT32_MAX)};
}

/// What pieces publish of that many columns, with room for it.
template <Element T>
const Array<std::uint64_t>& parts_for(Device& device, const ProgramKey& program, Derived& kept,
                                      Index columns) {
  const Index words = kept.counts.pieces * columns * Index{sizeof(T) / 4};
  if (kept.parts.size() < words) {
    kept.parts = Array<std::uint64_t>(words, device.memory());
    Kernel& clear = device.kernel(program, "clear_parts");
    device.launch(clear, divided_up(words, clear.group), words, kept.parts);
  }
  return kept.parts;
}

/// The work-groups of one panel: see csr_columns_binned.cl.
Index groups_of_bins(const DerivedCounts& counts, Index across, Index group) {
  Index groups = 0;
  for (std::size_t bin = 0; bin < counts.in_bins.size(); ++bin) {
    const Index whole = bin == 0 ? group : std::min(group, Index{64} >> bin);
    const Index teams = std::min(whole, std::max<Index>(std::min(group, nvidia_warp) / across, 1));
    groups += divided_up(counts.in_bins[bin] * (bin == 0 ? group : across * teams), group);
  }
  return groups;
}

template <Element T>
constexpr ProgramKey vector_program{"vector_operations", precision_of<T>, OffsetWidth::Narrow};

/// Copies column `column` of a row-major array to a vector, or back.
template <Element T>
void copy_column(Device& device, std::string_view name, const Array<T>& vector, Index columns,
                 Index column, const Array<T>& from, const Array<T>& to) {
  if (vector.size() == 0) return;
  Kernel& kernel = device.kernel(vector_program<T>, name);
  const Index share = kernel.group * device.tuning().elements_per_item;
  device.launch(kernel, divided_up(vector.size(), share), vector.size(), columns, column, from, to);
}

}  // namespace

template <Element T>
void multiply_csr_columns(const MultiplyArguments<T>& arguments) {
  const auto columns = static_cast<cl_uint>(arguments.columns);
  // The smallest group of the program's kernels.
  const auto launch = [&](Device& device, const Kernel& any, const Csr<T>& a, const auto& offsets) {
    const Across across = across_for(columns, any.group);
    const ColumnLaunch shape =
        launch_for<T>(device, any.group, arguments.matrix, columns, across.items);
    const ProgramKey program{"csr_columns", precision_of<T>, width_of(offsets)};
    Kernel& kernel = device.kernel(program, shape.kernel);
    const Index groups = groups_for(divided_up(a.rows, shape.rows), shape.lanes, kernel.group);
    device.launch(kernel, groups * across.panels, a.rows, columns,
                  static_cast<cl_uint>(across.items), static_cast<cl_uint>(shape.lanes),
                  static_cast<cl_uint>(across.panels), static_cast<cl_uint>(shape.long_row),
                  offsets, a.columns, a.values, arguments.alpha, arguments.x, arguments.beta,
                  arguments.y);
  };
  with_csr_kernel(arguments, {"csr_columns", "csr_columns_one_pairs"}, launch);
}

template <Element T>
void multiply_csr_columns_binned(const MultiplyArguments<T>& arguments) {
  const auto columns = static_cast<cl_uint>(arguments.columns);
  const auto launch = [&](Device& device, const Kernel& any, const Csr<T>& a, const auto& offsets) {
    if (!fits_bins(any.group, a.rows, a.nnz)) return multiply_csr_columns(arguments);
    const ProgramKey program{"csr_columns_binned", precision_of<T>, width_of(offsets)};
    const Across across = across_for(columns, any.group);
    const auto items = static_cast<cl_uint>(across.items);
    const auto panels = static_cast<cl_uint>(across.panels);
    Derived& kept = bins_beside<T>(device, a.rows, offsets);
    // Built before anything is written.
    Kernel& finish = device.kernel(program, "columns_binned_finish");
    // Another call in between would overwrite what this one's second launch reads.
    const std::lock_guard lock(kept.mutex);
    const Array<std::uint64_t>& parts = parts_for<T>(device, program, kept, columns);
    const cl_uint number = ++kept.launches;
    device.launch(device.kernel(program, by_width(columns, binned_rows)),
                  groups_of_bins(kept.counts, across.items, any.group) * across.panels, columns,
                  items, panels, a.columns, a.values, arguments.alpha, arguments.x, arguments.beta,
                  arguments.y, kept.array, parts, number);
    if (kept.counts.pieces == 0 || device.groups_can_wait()) return;
    device.health().completing([&] {
      device.launch(finish, kept.counts.pieces * across.panels, columns, items, panels,
                    arguments.alpha, arguments.beta, arguments.y, kept.array, parts, number);
    });
  };
  with_csr_kernel(arguments, {"csr_columns_binned", "csr_columns_binned_one"}, launch);
}

template <Element T>
void multiply_each_column(const MultiplyArguments<T>& arguments,
                          void (*kernel)(const MultiplyArguments<T>& arguments)) {
  Device& device = device_of(arguments.executor);
  const Index columns = arguments.columns;
  const Array<T> x(arguments.x.size() / columns, device.memory());
  Array<T> y(arguments.y.size() / columns, device.memory());
  const auto multiply_one = [&](Index c) {
    copy_column(device, "take_column", x, columns, c, arguments.x, x);
    if (arguments.beta != T{0}) copy_column(device, "take_column", y, columns, c, arguments.y, y);
    kernel({device, arguments.matrix, arguments.alpha, x, arguments.beta, y});
    copy_column(device, "put_column", y, columns, c, y, arguments.y);
  };
  multiply_one(0);
  device.health().completing([&] {
    for (Index c = 1; c < columns; ++c) multiply_one(c);
  });
}

template void multiply_csr_columns(const MultiplyArguments<float>&);
template void multiply_csr_columns(const MultiplyArguments<double>&);
template void multiply_csr_columns_binned(const MultiplyArguments<float>&);
template void multiply_csr_columns_binned(const MultiplyArguments<double>&);
template void multiply_each_column(const MultiplyArguments<float>&,
                                   void (*)(const MultiplyArguments<float>&));
template void multiply_each_column(const MultiplyArguments<double>&,
                                   void (*)(const MultiplyArguments<double>&));

}  // namespace switchyard::opencl
