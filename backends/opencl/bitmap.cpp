// y = alpha A x + beta y for a bitmap, and its conversions from and to CSR and dense, on a device.
#include "bitmap.hpp"

#include <algorithm>
#include <string>

#include "device.hpp"
#include "lanes.hpp"
#include "room.hpp"
#include "scan.hpp"

namespace switchyard::opencl {
namespace {

constexpr std::string_view multiply_program = "bitmap_multiply";
constexpr std::string_view staged_program = "bitmap_staged";
constexpr std::string_view csr_program = "bitmap_csr";
constexpr std::string_view dense_program = "bitmap_dense";
/// Columns of a word as devices read masks.
constexpr Index device_word_columns = 32;
/// Columns of a block of bitmap_staged: a word for each item of a team.
constexpr Index staged_columns = nvidia_warp * device_word_columns;

/// Items that go over a row together (TEAM in the kernels).
Index team_of(const Kernel& kernel) { return std::min(nvidia_warp, kernel.group); }

/// The kernel of that name for GPUs, and that for processors, by the items for each row.
struct RowKernel {
  Kernel& kernel;
  Index lanes;
};
RowKernel row_kernel(Device& device, const ProgramKey& key, const std::string& name) {
  if (!device.facts().is_gpu) return {device.kernel(key, name + "_scalar"), 1};
  Kernel& kernel = device.kernel(key, name);
  return {kernel, team_of(kernel)};
}

/// A multiplication whose teams sum several rows together.
struct TeamKernel {
  Kernel& kernel;
  Index rows_of_team;
  Index items_at_once;  ///< of the device
  /// Whether all teams that run at once end together, so that others follow in rounds.
  bool in_rounds;
};

/// The number of teams for each `rows_of_team` rows with the least predicted time: rounds of teams
/// times what a team takes. A team takes two units for each block of columns, and where several
/// share a row one more, to find its first element (H200, float, 6000 to 20000 rows, half full:
/// at most 3 % slower than the best of 1, 2 and 4 teams). Without rounds, only as many as run at
/// once.
Index teams_for(const TeamKernel& by_teams, Index rows, Index cols) {
  const Index team = team_of(by_teams.kernel);
  const Index at_once = std::max<Index>(by_teams.items_at_once / team, 1);
  const Index sums = divided_up(rows, by_teams.rows_of_team);
  const Index blocks = divided_up(cols, team * device_word_columns);
  const auto units = [&](Index teams) {
    const Index of_team = 2 * divided_up(blocks, teams) + (teams > 1 ? 1 : 0);
    return divided_up(sums * teams, at_once) * of_team;
  };
  Index best = 1;
  for (Index teams = 2; teams <= by_teams.kernel.group / team; teams *= 2) {
    const bool all_at_once = sums * teams <= at_once;
    if ((by_teams.in_rounds || all_at_once) && units(teams) < units(best)) best = teams;
  }
  return best;
}

/// Launches a multiplication by teams.
template <Element T>
void launch_teams(const MultiplyArguments<T>& arguments, Device& device,
                  const TeamKernel& by_teams) {
  const auto& a = std::get<Bitmap<T>>(arguments.matrix);
  Kernel& kernel = by_teams.kernel;
  const Index team = team_of(kernel);
  const Index teams = teams_for(by_teams, a.rows, a.cols);
  const Index words = a.words_of_row() * (bitmap_word_columns / device_word_columns);
  const Index span = divided_up(divided_up(words, teams), team) * team;
  const Index sums = divided_up(a.rows, by_teams.rows_of_team);
  const auto launch = [&](const auto& offsets) {
    device.launch(kernel, groups_for(sums, teams * team, kernel.group), a.rows, a.cols,
                  static_cast<cl_uint>(teams), span, a.nnz, offsets, a.masks, a.values,
                  arguments.alpha, arguments.x, arguments.beta, arguments.y);
  };
  std::visit(launch, a.offsets);
}

/// The width of its offsets.
template <Element T>
OffsetWidth offset_width(const Bitmap<T>& a) {
  return std::visit([](const auto& offsets) { return width_of(offsets); }, a.offsets);
}

/// Calls `convert(offsets, copies, narrow)` with the offsets of the source, those of the result,
/// and whether these have 32 bits.
template <class Convert>
void with_offsets(const Offsets& from, Offsets& to, const Convert& convert) {
  const auto call = [&]<class To>(const auto& offsets, Array<To>& copies) {
    convert(offsets, copies, static_cast<cl_uint>(sizeof(To) == 4 ? 1 : 0));
  };
  std::visit(call, from, to);
}

/// A dense matrix cut into stretches of rows.
struct Stretches {
  Index count = 0;
  Index parts = 1;  ///< of a row
  Index width = bitmap_word_columns;
};
Stretches cut(const Device& device, Index rows, Index cols) {
  const Index whole = divided_up(std::max<Index>(cols, 1), bitmap_word_columns);
  Stretches cut;
  cut.width = std::min(whole * bitmap_word_columns,
                       device.tuning().stretch_width / bitmap_word_columns * bitmap_word_columns);
  cut.parts = std::max<Index>(1, divided_up(cols, cut.width));
  cut.count = checked_product(rows, cut.parts);
  return cut;
}

}  // namespace

bool suits_bitmap_scalar(const ExecutorFacts& facts, const Structure& /*structure*/) {
  return !facts.is_gpu;
}

bool suits_bitmap_rows(const ExecutorFacts& facts, const Structure& /*structure*/) {
  return facts.is_gpu;
}

bool suits_bitmap_staged(const ExecutorFacts& facts, const Structure& structure) {
  // Others have no copies that they need not wait for. In a narrower matrix most items of a team
  // would have no word.
  return facts.is_gpu && facts.vendor.starts_with("NVIDIA") && structure.cols >= staged_columns;
}

template <Element T>
void multiply_bitmap_scalar(const MultiplyArguments<T>& arguments) {
  Device& device = device_of(arguments.executor);
  const auto& a = std::get<Bitmap<T>>(arguments.matrix);
  if (a.rows == 0) return;
  const auto launch = [&](const auto& offsets) {
    Kernel& kernel =
        device.kernel({multiply_program, precision_of<T>, width_of(offsets)}, "bitmap_scalar");
    device.launch(kernel, divided_up(a.rows, kernel.group), a.rows, a.cols, offsets, a.masks,
                  a.values, arguments.alpha, arguments.x, arguments.beta, arguments.y);
  };
  std::visit(launch, a.offsets);
}

template <Element T>
void multiply_bitmap_rows(const MultiplyArguments<T>& arguments) {
  Device& device = device_of(arguments.executor);
  const auto& a = std::get<Bitmap<T>>(arguments.matrix);
  if (a.rows == 0) return;
  Kernel& kernel =
      device.kernel({multiply_program, precision_of<T>, offset_width(a)}, "bitmap_rows");
  launch_teams(arguments, device,
               {kernel, device.tuning().bitmap_rows, items_at_once(device.facts()), false});
}

template <Element T>
void multiply_bitmap_staged(const MultiplyArguments<T>& arguments) {
  Device& device = device_of(arguments.executor);
  const auto& a = std::get<Bitmap<T>>(arguments.matrix);
  if (a.rows == 0) return;
  Kernel& kernel =
      device.kernel({staged_program, precision_of<T>, offset_width(a)}, "bitmap_staged");
  const Tuning& tuning = device.tuning();
  const Index items = tuning.staged_bytes_per_unit / static_cast<Index>(sizeof(T));
  launch_teams(arguments, device,
               {kernel, tuning.staged_rows, items * device.facts().compute_units, true});
}

template <Element T>
Storage<T> convert_csr_to_bitmap(Executor& executor, const Storage<T>& matrix) {
  Device& device = device_of(executor);
  const auto& from = std::get<Csr<T>>(matrix);
  const Bitmap<T> header{from.rows, from.cols, from.nnz, {}, {}, {}};
  require_room(device, header.rows, header.words_of_row(), sizeof(std::uint64_t));
  auto to = Bitmap<T>::sized(from.rows, from.cols, from.nnz, device.memory());
  with_offsets(from.offsets, to.offsets, [&](const auto& offsets, auto& copies, cl_uint narrow) {
    const auto [kernel, lanes] = row_kernel(
        device, {csr_program, precision_of<T>, width_of(offsets)}, "fill_bitmap_from_csr");
    device.launch(kernel, groups_for(from.rows + 1, lanes, kernel.group), from.rows, from.cols,
                  offsets, from.columns, from.values, copies, narrow, to.masks, to.values);
  });
  return to;
}

template <Element T>
Storage<T> convert_bitmap_to_csr(Executor& executor, const Storage<T>& matrix) {
  Device& device = device_of(executor);
  const auto& from = std::get<Bitmap<T>>(matrix);
  auto to = Csr<T>::sized(from.rows, from.cols, from.nnz, device.memory());
  with_offsets(from.offsets, to.offsets, [&](const auto& offsets, auto& copies, cl_uint narrow) {
    const auto [kernel, lanes] = row_kernel(
        device, {csr_program, precision_of<T>, width_of(offsets)}, "fill_csr_from_bitmap");
    device.launch(kernel, groups_for(from.rows + 1, lanes, kernel.group), from.rows, from.cols,
                  offsets, from.masks, from.values, copies, narrow, to.columns, to.values);
  });
  return to;
}

template <Element T>
Storage<T> convert_dense_to_bitmap(Executor& executor, const Storage<T>& matrix) {
  Device& device = device_of(executor);
  const auto& from = std::get<Dense<T>>(matrix);
  (void)narrow<Column>(from.cols);  // columns must fit
  Bitmap<T> to{from.rows, from.cols, 0, {}, {}, {}};
  to.masks = Array<std::uint64_t>(checked_product(to.rows, to.words_of_row()), device.memory());
  const Stretches stretches = cut(device, from.rows, from.cols);
  const Array<std::uint32_t> counts(stretches.count, device.memory());
  const auto launch = [&](const ProgramKey& key, const std::string& name, const auto&... rest) {
    if (stretches.count == 0) return;
    const auto [kernel, lanes] = row_kernel(device, key, name);
    device.launch(kernel, groups_for(stretches.count, lanes, kernel.group), stretches.count,
                  from.cols, static_cast<cl_uint>(stretches.parts),
                  static_cast<cl_uint>(stretches.width), from.values, to.masks, rest...);
  };
  launch({dense_program, precision_of<T>, OffsetWidth::Narrow}, "bits_of_dense", counts);
  const ChunkSums sums = sum_chunks(device, precision_of<T>, stretches.count, counts);
  to.nnz = total_of(device, sums);
  to.offsets = sized_offsets(to.rows + 1, to.nnz, device.memory());
  to.values = Array<T>(to.nnz, device.memory());
  const auto fill = [&](const auto& offsets) {
    using Offset = std::remove_cvref_t<decltype(offsets[0])>;
    const Array<Offset> starts(stretches.count + 1, device.memory());
    write_offsets(device, precision_of<T>, stretches.count, stretches.parts, counts, sums, starts,
                  offsets);
    if (to.nnz > 0)
      launch({dense_program, precision_of<T>, width_of(offsets)}, "values_of_dense", starts,
             to.values);
  };
  std::visit(fill, to.offsets);
  return to;
}

template <Element T>
Storage<T> convert_bitmap_to_dense(Executor& executor, const Storage<T>& matrix) {
  Device& device = device_of(executor);
  const auto& from = std::get<Bitmap<T>>(matrix);
  auto to = Dense<T>::sized(from.rows, from.cols, device.memory());
  if (to.values.size() == 0) return to;
  const auto convert = [&](const auto& offsets) {
    const auto [kernel, lanes] = row_kernel(
        device, {dense_program, precision_of<T>, width_of(offsets)}, "fill_dense_from_bitmap");
    device.launch(kernel, groups_for(from.rows, lanes, kernel.group), from.rows, from.cols, offsets,
                  from.masks, from.values, to.values);
  };
  std::visit(convert, from.offsets);
  return to;
}

template void multiply_bitmap_scalar(const MultiplyArguments<float>&);
template void multiply_bitmap_scalar(const MultiplyArguments<double>&);
template void multiply_bitmap_rows(const MultiplyArguments<float>&);
template void multiply_bitmap_rows(const MultiplyArguments<double>&);
template void multiply_bitmap_staged(const MultiplyArguments<float>&);
template void multiply_bitmap_staged(const MultiplyArguments<double>&);
template Storage<float> convert_csr_to_bitmap(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_bitmap(Executor&, const Storage<double>&);
template Storage<float> convert_bitmap_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_bitmap_to_csr(Executor&, const Storage<double>&);
template Storage<float> convert_dense_to_bitmap(Executor&, const Storage<float>&);
template Storage<double> convert_dense_to_bitmap(Executor&, const Storage<double>&);
template Storage<float> convert_bitmap_to_dense(Executor&, const Storage<float>&);
template Storage<double> convert_bitmap_to_dense(Executor&, const Storage<double>&);

}  // namespace switchyard::opencl
