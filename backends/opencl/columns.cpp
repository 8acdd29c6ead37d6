// Y = alpha A X + beta Y for many columns on a device: choosing the launch for each variant.
#include "columns.hpp"

#include <string_view>
#include <type_traits>

#include "bins.hpp"
#include "csr_kernel.hpp"
#include "csr_lanes.hpp"

namespace switchyard::opencl {
namespace {

/// The most columns of an item, and nonzeros that it asks for at once (see column_sums.cl).
constexpr Index columns_each = 4;
constexpr Index columns_twice = 2 * columns_each;
constexpr Index nonzeros_each = 4;
/// Nonzeros of the mean row for each team: fewer wait for each other longer than they save (1.6
/// million rows of 5, eight columns: 66 us with one team a row, 83 with two).
constexpr Index nonzeros_per_team = 8;

/// Neighbouring items that share a nonzero, the columns of each, and panels of as many columns as
/// they have.
struct Across {
  Index items = 1;
  Index each = columns_each;
  Index panels = 1;
};

/// Where an item has `each` columns.
Across across_for_each(Index columns, Index group, Index each) {
  const Index items = lanes_for(divided_up(columns, each), std::min(nvidia_warp, group));
  return {items, each, divided_up(columns, items * each)};
}

/// Where an item has two columns, if that is all there are or an even number up to `most_by_pair`.
/// The same whether X has longer rows than columns, so that sums have the same order.
Across across_for(Index columns, Index group, Index most_by_pair = 2) {
  const bool by_pair = columns % 2 == 0 && columns <= most_by_pair;
  return across_for_each(columns, group, by_pair ? 2 : columns_each);
}

/// The kernels of a family for rows of X with multiples of four elements, for items with two
/// columns, for even numbers and for any; and for items with eight and with one, where there are
/// such kernels.
struct Family {
  std::string_view four, pair, two, one, eight = {}, single = {};
};

std::string_view kernel_of(const Family& family, Index width, const Across& across) {
  if (across.each == 1) return family.single;
  if (width % 2 != 0) return family.one;
  if (across.each == 2) return family.pair;
  if (across.each == columns_twice) return family.eight;
  return width % 4 == 0 ? family.four : family.two;
}

constexpr Family short_rows{.four = "csr_columns_four",
                            .pair = "csr_columns_pair",
                            .two = "csr_columns_two",
                            .one = "csr_columns_one",
                            .single = "csr_columns_single"};
constexpr Family long_rows{.four = "csr_columns_four_quads",
                           .pair = "csr_columns_pair_quads",
                           .two = "csr_columns_two_quads",
                           .one = "csr_columns_one_quads",
                           .single = "csr_columns_single_quads"};
/// In float, in groups of CHUNKS_GROUP items.
constexpr Family long_rows_in_large_groups{.four = "csr_columns_four_chunks",
                                           .pair = "csr_columns_pair_large",
                                           .two = "csr_columns_two_chunks",
                                           .one = "csr_columns_one_chunks",
                                           .single = "csr_columns_single_chunks"};
constexpr Family staged_rows{"csr_staged_four", "csr_staged_pair", "csr_staged_two",
                             "csr_staged_one"};
/// With one team for each row, where there is such a kernel.
constexpr Family staged_alone{"csr_staged_four_alone", "csr_staged_pair_alone",
                              "csr_staged_two_alone", "csr_staged_one", "csr_staged_eight_alone"};
constexpr Family binned_rows{"csr_columns_binned_four", "csr_columns_binned_pair",
                             "csr_columns_binned_two", "csr_columns_binned_one"};

/// How the items of a work-group share rows.
struct ColumnLaunch {
  const Family& family;
  Across across;
  Index lanes = 1;         ///< items that share a row
  Index long_row = 0;      ///< more nonzeros are left to the whole group, or warp
  bool by_panels = false;  ///< groups of one panel follow each other, not those of the same rows
};

/// The most teams that share a row, a power of two: of few items, so that many rows walk through X
/// together and share what caches hold of it; of up to a warp where rows are too few to fill half
/// of the device; and of up to `most` items where so many fill a third at most (on an H200 up to
/// 2112 rows; prototypes, float, two columns, 32, 64 and 128 items: 3000 rows of 4000 35, 40 and 35
/// us; 2000 of 5000 42, 34 and 42; 1000 of 10000 62, 35 and 27, and 28.7 with 256).
Index most_teams(const Device& device, Index most, Index rows, Index across) {
  const ExecutorFacts& facts = device.facts();
  const Index wanted =
      std::max({device.tuning().column_lanes, std::min(lanes_to_fill(facts, rows) / 2, nvidia_warp),
                lanes_to_fill(facts, 3 * rows)});
  return std::max<Index>(lanes_for(wanted, most) / across, 1);
}

/// How many teams share a row of rows as they are, where the mean row has so many nonzeros. If they
/// are more than a warp, as many for each row of a group as sum_beside takes (column_sums.cl).
Index teams_for(const Device& device, Index group, Index rows, Index mean, Index across) {
  const Index warp = std::min(nvidia_warp, group);
  const auto at_most = [&](Index most) {
    return lanes_for(divided_up(mean, nonzeros_per_team), most_teams(device, most, rows, across));
  };
  const Index teams = at_most(group);
  const bool spans_warps = across * teams > warp && teams >= group / warp;
  return spans_warps ? teams : at_most(warp);
}

Index long_row_for(const Tuning& tuning, Index per_team, Index teams, Index mean) {
  return std::min<Index>(std::max(per_team * teams, tuning.long_row_means * mean), INT32_MAX);
}

/// Whether long rows, of so many nonzeros in the mean, are multiplied in large groups: with several
/// items for a nonzero, and with one for each column, by way of local memory. Not where these
/// groups would be too few: for less than half of the compute units, a guess.
template <Element T>
bool takes_large_groups(const Device& device, Index rows, Index mean, const Across& across,
                        Index teams) {
  const Tuning& tuning = device.tuning();
  const Index lanes = across.items * teams;
  if (!std::is_same_v<T, float> || !device.has_warps() || lanes > nvidia_warp) return false;
  const Index groups = groups_for(rows, lanes, tuning.chunks_group) * across.panels;
  if (groups < device.facts().compute_units / 2) return false;
  if (across.each == 2) return true;
  if (across.each == 1) return lanes >= tuning.lanes_for_chunks;
  if (across.items == 1 || lanes < tuning.lanes_for_chunks) return false;
  return across.items >= tuning.items_for_chunks || mean <= tuning.most_per_team_for_chunks * teams;
}

/// How rows as they are are read, where they have so many nonzeros in the mean.
template <Element T>
const Family& family_for(const Device& device, Index rows, Index mean, const Across& across,
                         Index teams) {
  if (mean < device.tuning().quads_per_team * nonzeros_each * teams) return short_rows;
  return takes_large_groups<T>(device, rows, mean, across, teams) ? long_rows_in_large_groups
                                                                  : long_rows;
}

/// For a matrix with rows; `singly`: an item has one column.
template <Element T>
ColumnLaunch launch_for(const Device& device, Index group, const Csr<T>& a, Index columns,
                        bool singly) {
  const Tuning& tuning = device.tuning();
  const Index most_by_pair = sizeof(T) == 8 ? tuning.most_doubles_by_pair : 2;
  const Across across =
      singly ? across_for_each(columns, group, 1) : across_for(columns, group, most_by_pair);
  const Index mean = divided_up(a.nnz, a.rows);
  const Index teams = teams_for(device, group, a.rows, mean, across.items);
  return {family_for<T>(device, a.rows, mean, across, teams), across, across.items * teams,
          long_row_for(tuning, tuning.long_row_per_team, teams, mean)};
}

/// Whether an item has eight columns: where rows are so short that its other work takes as long as
/// four, and rows so many that as many items are left as run at once.
template <Element T>
bool takes_eight(const Device& device, const Csr<T>& a, Index columns) {
  const Tuning& tuning = device.tuning();
  if (!std::is_same_v<T, float> || columns % columns_each != 0) return false;
  if (columns < tuning.fewest_floats_by_eight) return false;
  if (divided_up(a.nnz, a.rows) > tuning.csr_staged_per_team) return false;
  return a.rows >= items_at_once(device.facts()) / divided_up(columns, columns_twice);
}

/// The same for short rows. Where a team is one item, groups have so many rows that their nonzeros
/// just fit into local memory.
template <Element T>
ColumnLaunch staged_launch_for(const Device& device, Index group, const Csr<T>& a, Index columns) {
  const Tuning& tuning = device.tuning();
  const Index mean = divided_up(a.nnz, a.rows);
  if (takes_eight(device, a, columns)) {
    const Across across = across_for_each(columns, group, columns_twice);
    return {staged_alone, across, across.items,
            long_row_for(tuning, tuning.long_row_per_staged_team, 1, mean), true};
  }
  const Across across = across_for(columns, group);
  const Index fitting = sizeof(T) == 8 ? tuning.csr_staged_doubles : tuning.csr_staged_floats;
  const Index each = across.items == 1 ? fitting : tuning.csr_staged_per_team;
  const Index most = most_teams(device, std::min(nvidia_warp, group), a.rows, across.items);
  const Index teams = lanes_for(divided_up(mean, each), most);
  return {teams == 1 ? staged_alone : staged_rows, across, across.items * teams,
          long_row_for(tuning, tuning.long_row_per_staged_team, teams, mean), true};
}

/// Rows as they are, by the kernel that `shape_for` chooses from the program of `any`. It is handed
/// the size of the groups of `any`.
template <Element T, class ShapeFor>
void multiply_by_rows(const MultiplyArguments<T>& arguments, Index width, KernelName any,
                      const ShapeFor& shape_for) {
  const Index columns = arguments.columns;
  const auto launch = [&](Device& device, const Kernel& one, const Csr<T>& a, const auto& offsets) {
    const ColumnLaunch shape = shape_for(device, one.group, a, columns);
    const Across& across = shape.across;
    Kernel& kernel = device.kernel({any.program, precision_of<T>, width_of(offsets)},
                                   kernel_of(shape.family, width, across));
    const Index groups = groups_for(a.rows, shape.lanes, kernel.group);
    device.launch(kernel, groups * across.panels, a.rows, static_cast<cl_uint>(columns),
                  static_cast<cl_uint>(width), static_cast<cl_uint>(across.items),
                  static_cast<cl_uint>(shape.lanes),
                  static_cast<cl_uint>(shape.by_panels ? groups : across.panels),
                  static_cast<cl_uint>(shape.long_row), offsets, a.columns, a.values,
                  arguments.alpha, arguments.x, arguments.beta, arguments.y);
  };
  with_csr_kernel(arguments, any, launch);
}

/// What pieces publish of that many columns, with room for it.
template <Element T>
const Array<std::uint64_t>& parts_for(Device& device, const ProgramKey& program, Derived& kept,
                                      Index columns) {
  const Index words = kept.counts.pieces * columns * Index{sizeof(T) / 4};
  if (kept.parts.size() < words) {
    // Kept only once it is cleared: words from elsewhere may look like published ones.
    Array<std::uint64_t> parts(words, device.memory());
    Kernel& clear = device.kernel(program, "clear_parts");
    device.launch(clear, divided_up(words, clear.group), words, parts);
    kept.parts = std::move(parts);
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
void multiply_staged_rows(const MultiplyArguments<T>& arguments, Index width) {
  multiply_by_rows(arguments, width, {"csr_staged", "csr_staged_one"}, staged_launch_for<T>);
}

}  // namespace

template <Element T>
void multiply_rows(const MultiplyArguments<T>& arguments, Index width) {
  // Where a copy of X would repay, but has no room, sums have the same order as with the copy.
  const bool singly =
      width == arguments.columns && takes_single(arguments) && !worth_widening(arguments, true);
  const auto shape_for = [singly](const Device& device, Index group, const Csr<T>& a,
                                  Index columns) {
    return launch_for(device, group, a, columns, singly);
  };
  multiply_by_rows(arguments, width, {"csr_columns", "csr_columns_one"}, shape_for);
}

template <Element T>
void multiply_binned_rows(const MultiplyArguments<T>& arguments, Index width) {
  const auto columns = static_cast<cl_uint>(arguments.columns);
  const auto launch = [&](Device& device, const Kernel& any, const Csr<T>& a, const auto& offsets) {
    if (!fits_bins(any.group, a.rows, a.nnz)) return multiply_rows(arguments, width);
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
    device.launch(device.kernel(program, kernel_of(binned_rows, width, across)),
                  groups_of_bins(kept.counts, across.items, any.group) * across.panels, columns,
                  static_cast<cl_uint>(width), items, panels, a.columns, a.values, arguments.alpha,
                  arguments.x, arguments.beta, arguments.y, kept.array, parts, number);
    if (kept.counts.pieces == 0 || device.groups_can_wait()) return;
    device.health().completing([&] {
      device.launch(finish, kept.counts.pieces * across.panels, columns, items, panels,
                    arguments.alpha, arguments.beta, arguments.y, kept.array, parts, number);
    });
  };
  with_csr_kernel(arguments, {"csr_columns_binned", "csr_columns_binned_one"}, launch);
}

template <Element T>
void multiply_csr_columns(const MultiplyArguments<T>& arguments) {
  constexpr bool has_single = true;
  multiply_by_wide_rows(arguments, &multiply_rows<T>, has_single);
}

template <Element T>
void multiply_csr_staged(const MultiplyArguments<T>& arguments) {
  multiply_by_wide_rows(arguments, &multiply_staged_rows<T>);
}

template <Element T>
void multiply_csr_columns_binned(const MultiplyArguments<T>& arguments) {
  multiply_by_wide_rows(arguments, &multiply_binned_rows<T>);
}

template void multiply_rows(const MultiplyArguments<float>&, Index);
template void multiply_rows(const MultiplyArguments<double>&, Index);
template void multiply_binned_rows(const MultiplyArguments<float>&, Index);
template void multiply_binned_rows(const MultiplyArguments<double>&, Index);
template void multiply_csr_columns(const MultiplyArguments<float>&);
template void multiply_csr_columns(const MultiplyArguments<double>&);
template void multiply_csr_staged(const MultiplyArguments<float>&);
template void multiply_csr_staged(const MultiplyArguments<double>&);
template void multiply_csr_columns_binned(const MultiplyArguments<float>&);
template void multiply_csr_columns_binned(const MultiplyArguments<double>&);

}  // namespace switchyard::opencl
