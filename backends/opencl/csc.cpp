// Conversions between CSR and CSC on a device: by counts in columns, element by element, or by
// sorting.
#include "csc.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

#include "device.hpp"
#include "lanes.hpp"
#include "scan.hpp"

namespace switchyard::opencl {
namespace {

/// Each stretch of rows has counts of its own: more of them than this take longer to add up than
/// they save.
constexpr Index most_stretches = 256;
/// All counts together take this many bytes at most, unless there is one stretch only.
constexpr Index most_bytes_of_counts = Index{1} << 26;

Index stretches_of(Index rows, Index cols) {
  const Index room = most_bytes_of_counts / (std::max<Index>(cols, 1) * Index{sizeof(cl_uint)});
  return std::clamp<Index>(std::min(room, rows), 1, most_stretches);
}

/// Offsets as wide as those of the source, which may be more than they need: kernels know one type.
template <Element T>
Csr<T> sized_like(const Csr<T>& from, const std::shared_ptr<MemorySpace>& memory) {
  auto to = Csr<T>::sized(from.cols, from.rows, from.nnz, memory);
  if (std::holds_alternative<Array<std::int64_t>>(from.offsets))
    to.offsets = Array<std::int64_t>(from.cols + 1, memory);
  return to;
}

/// Every element of a matrix with its column and row, in some order.
template <Element T>
struct Elements {
  Array<Column> columns;
  Array<Column> row_of;
  Array<T> values;
  static constexpr Index bytes_each = 2 * Index{sizeof(Column)} + Index{sizeof(T)};

  Elements() = default;
  Elements(Index count, const std::shared_ptr<MemorySpace>& memory)
      : columns(count, memory), row_of(count, memory), values(count, memory) {}
};

// As in csc_convert.cl.
constexpr int digit_bits = 4;
constexpr Index digits = Index{1} << digit_bits;
constexpr Index sorted_items = 8;
constexpr Index placed_items = 8;
constexpr Index compared = 256;
constexpr Index marked_words = 3840;

int passes_for(Index cols) {
  const auto largest = static_cast<std::uint64_t>(std::max<Index>(cols - 1, 1));
  const int bits = static_cast<int>(std::bit_width(largest));
  return (bits + digit_bits - 1) / digit_bits;
}

/// About how long each way takes on a GPU, in microseconds, with constants from what an H200 took
/// (docs/results/h200/csc_conversions.json): a work-group takes its rows one after another, and
/// each twice; a pass of sorting has four launches. Long columns come on top of ranks.
template <Element T>
struct Durations {
  double by_counting;
  double by_ranks;
  double by_sorting;

  Durations(const Csr<T>& from, Index group) {
    const auto elements = static_cast<double>(from.nnz);
    const Index rows_each = from.rows / stretches_of(from.rows, from.cols);
    const Index mean = from.nnz / std::max<Index>(from.rows, 1);
    by_counting = 30 + 2 * 1.35 * static_cast<double>(rows_each * divided_up(mean + 1, group));
    by_ranks = 80 + 6.5e-5 * elements;
    by_sorting = passes_for(from.cols) * (20 + 5.5e-5 * elements);
  }
};

/// Whether there is room for so many copies of the elements on their way.
template <Element T>
bool has_room(const Device& device, const Csr<T>& from, Index copies) {
  const auto needed = static_cast<std::size_t>(from.nnz * copies * Elements<T>::bytes_each);
  return needed < device.memory()->available() / 2;
}

/// One pass over all elements, by the digit from bit `shift` on.
template <Element T, class Offset>
void sort_by_digit(Device& device, const ProgramKey& key, Index nnz, int shift,
                   const Array<Column>& columns, const Array<Column>& row_of,
                   const Array<T>& values, Elements<T>& to) {
  Kernel& count = device.kernel(key, "csc_digits");
  const Index groups = divided_up(nnz, count.group * sorted_items);
  const Array<std::uint32_t> totals(digits * groups, device.memory());
  const auto from_bit = static_cast<cl_uint>(shift);
  device.launch(count, groups, nnz, from_bit, columns, totals);
  const Array<Offset> starts(totals.size() + 1, device.memory());
  const ChunkSums sums = sum_chunks(device, precision_of<T>, totals.size(), totals);
  write_offsets(device, precision_of<T>, totals.size(), 1, totals, sums, starts, starts);
  device.launch(device.kernel(key, "csc_sort"), groups, nnz, from_bit, starts, columns, row_of,
                values, to.columns, to.row_of, to.values);
}

template <Element T, class Offset>
Csr<T> by_sorting(Device& device, const Csr<T>& from, const Array<Offset>& offsets) {
  const auto& memory = device.memory();
  const ProgramKey key{"csc_convert", precision_of<T>, width_of(offsets)};
  const Array<Column> row_of(from.nnz, memory);
  Kernel& rows = device.kernel(key, "csc_rows");
  device.launch(rows, divided_up(from.nnz, rows.group), from.rows, from.nnz, offsets, row_of);
  Elements<T> sorted(from.nnz, memory);
  Elements<T> before;
  sort_by_digit<T, Offset>(device, key, from.nnz, 0, from.columns, row_of, from.values, sorted);
  for (int pass = 1; pass < passes_for(from.cols); ++pass) {
    std::swap(sorted, before);
    if (sorted.columns.size() == 0) sorted = Elements<T>(from.nnz, memory);
    sort_by_digit<T, Offset>(device, key, from.nnz, pass * digit_bits, before.columns,
                             before.row_of, before.values, sorted);
  }
  Csr<T> to{from.cols, from.rows, from.nnz, Array<Offset>(from.cols + 1, memory), {}, {}};
  Kernel& starts = device.kernel(key, "csc_starts");
  device.launch(starts, divided_up(from.cols + 1, starts.group), from.cols, from.nnz,
                sorted.columns, std::get<Array<Offset>>(to.offsets));
  to.columns = std::move(sorted.row_of);
  to.values = std::move(sorted.values);
  return to;
}

/// Columns that are too long for their elements to be compared.
struct LongColumns {
  Array<Column> list;
  Index count = 0;
  Index longest = 0;  ///< elements of the longest
  Index steps = 0;    ///< of all of them, each of a work-group's items
};

/// Waits for them.
LongColumns find_long(Device& device, const ProgramKey& key, Index nnz,
                      const Array<std::uint32_t>& counts) {
  LongColumns columns{Array<Column>(nnz / compared + 1, device.memory())};
  const Array<std::uint32_t> found(3, device.memory());
  Kernel& clear = device.kernel(key, "csc_clear");
  device.launch(clear, divided_up(found.size(), clear.group), found.size(), found);
  Kernel& list = device.kernel(key, "csc_list_long");
  device.launch(list, divided_up(counts.size(), list.group), counts.size(), counts, found,
                columns.list);
  std::array<std::uint32_t, 3> fetched{};
  device.memory()->copy_out(fetched.data(), found.handle(), 0, sizeof fetched);
  columns.count = fetched[0];
  columns.longest = fetched[1];
  columns.steps = fetched[2];
  return columns;
}

/// About how long work-groups take to rank the elements of long columns, in microseconds: those of
/// a column one after another, as often as rows are marked in turns, and of all columns many at
/// once.
double microseconds_to_rank(const Device& device, Index rows, const LongColumns& columns) {
  constexpr Index steps_to_count_marks = 4;
  const Index turns = divided_up(rows, 32 * marked_words);
  const Index groups_at_once = std::max<Index>(device.groups_wanted() / 8, 1);
  const Index of_longest = 2 * divided_up(columns.longest, device.tuning().large_group);
  const Index of_all = 2 * columns.steps + columns.count * steps_to_count_marks;
  return static_cast<double>(turns * std::max(of_longest, of_all / groups_at_once));
}

/// The long columns there would be if all were equally long.
LongColumns mean_long(const Device& device, Index cols, Index nnz) {
  const Index mean = divided_up(nnz, cols);
  if (mean <= compared) return {};
  return {{}, cols, mean, cols * divided_up(mean, device.tuning().large_group)};
}

/// Nothing if that takes longer than so many microseconds.
template <Element T, class Offset>
std::optional<Csr<T>> by_ranks(Device& device, const Csr<T>& from, const Array<Offset>& offsets,
                               double most_microseconds) {
  const auto takes_too_long = [&](const LongColumns& columns) {
    return microseconds_to_rank(device, from.rows, columns) > most_microseconds;
  };
  if (takes_too_long(mean_long(device, from.cols, from.nnz))) return std::nullopt;
  const auto& memory = device.memory();
  const ProgramKey key{"csc_convert", precision_of<T>, width_of(offsets)};
  const Array<std::uint32_t> counts(from.cols, memory);
  Kernel& clear = device.kernel(key, "csc_clear");
  device.launch(clear, divided_up(from.cols, clear.group), from.cols, counts);
  Kernel& count = device.kernel(key, "csc_count_each");
  device.launch(count, divided_up(from.nnz, count.group), from.nnz, from.columns, counts);
  const LongColumns columns = find_long(device, key, from.nnz, counts);
  if (takes_too_long(columns)) return std::nullopt;

  Csr<T> to = sized_like(from, memory);
  const auto& starts = std::get<Array<Offset>>(to.offsets);
  const ChunkSums sums = sum_chunks(device, precision_of<T>, from.cols, counts);
  write_offsets(device, precision_of<T>, from.cols, 1, counts, sums, starts, starts);
  const Array<Column> rows(from.nnz, memory);
  const Array<T> values(from.nnz, memory);
  Kernel& take = device.kernel(key, "csc_take_places");
  const Index groups = divided_up(from.nnz, take.group * placed_items);
  device.launch(take, groups, from.rows, from.nnz, offsets, from.columns, from.values, starts,
                counts, rows, values);
  device.launch(device.kernel(key, "csc_rank"), groups, from.cols, from.nnz, starts, rows, values,
                to.columns, to.values);
  if (columns.count > 0) {
    device.launch(device.kernel(key, "csc_rank_long"), columns.count, from.rows, columns.list,
                  starts, rows, values, to.columns, to.values);
  }
  return to;
}

template <Element T, class Offset>
Csr<T> by_counting(Device& device, const Csr<T>& from, const Array<Offset>& offsets) {
  Csr<T> to = sized_like(from, device.memory());
  const ProgramKey key{"csc_convert", precision_of<T>, width_of(offsets)};
  const auto& starts = std::get<Array<Offset>>(to.offsets);
  const Index stretches = stretches_of(from.rows, from.cols);
  const Array<std::uint32_t> counts(from.cols * stretches, device.memory());
  const Array<std::uint32_t> totals(from.cols, device.memory());
  if (from.cols > 0) {
    device.launch(device.kernel(key, "csc_count"), stretches, from.rows, from.cols, offsets,
                  from.columns, counts);
    Kernel& add_up = device.kernel(key, "csc_add_up");
    device.launch(add_up, divided_up(from.cols, add_up.group), from.cols, stretches, counts,
                  totals);
  }
  const ChunkSums sums = sum_chunks(device, precision_of<T>, from.cols, totals);
  write_offsets(device, precision_of<T>, from.cols, 1, totals, sums, starts, starts);
  if (from.nnz == 0) return to;
  device.launch(device.kernel(key, "csc_fill"), stretches, from.rows, from.cols, offsets,
                from.columns, from.values, counts, starts, to.columns, to.values);
  return to;
}

template <Element T, class Offset>
Csr<T> transposed(Device& device, const Csr<T>& from, const Array<Offset>& offsets) {
  const bool can_choose =
      device.facts().is_gpu && from.nnz > 0 && from.rows <= std::numeric_limits<Column>::max();
  if (!can_choose) return by_counting(device, from, offsets);
  const Durations<T> takes(from, device.tuning().group);
  const bool sorts = takes.by_sorting < takes.by_counting && has_room(device, from, 3);
  const double left = (sorts ? takes.by_sorting : takes.by_counting) - takes.by_ranks;
  if (takes.by_ranks < takes.by_counting && has_room(device, from, 2)) {
    if (auto to = by_ranks(device, from, offsets, left)) return *std::move(to);
  }
  return sorts ? by_sorting(device, from, offsets) : by_counting(device, from, offsets);
}

template <Element T>
Csr<T> transposed(Executor& executor, const Csr<T>& from) {
  return std::visit(
      [&](const auto& offsets) { return transposed(device_of(executor), from, offsets); },
      from.offsets);
}

}  // namespace

template <Element T>
Storage<T> convert_csr_to_csc(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Csr<T>>(matrix);
  return Csc<T>{from.rows, from.cols, from.nnz, transposed(executor, from)};
}

template <Element T>
Storage<T> convert_csc_to_csr(Executor& executor, const Storage<T>& matrix) {
  return transposed(executor, std::get<Csc<T>>(matrix).transpose);
}

template <Element T>
Csr<T> transposed_by(Transposing way, Executor& executor, const Csr<T>& from) {
  Device& device = device_of(executor);
  const auto by = [&](const auto& offsets) {
    switch (way) {
      case Transposing::ByRanks:
        return by_ranks(device, from, offsets, std::numeric_limits<double>::infinity()).value();
      case Transposing::BySorting:
        return by_sorting(device, from, offsets);
      default:
        return by_counting(device, from, offsets);
    }
  };
  return std::visit(by, from.offsets);
}

template Csr<float> transposed_by(Transposing, Executor&, const Csr<float>&);
template Csr<double> transposed_by(Transposing, Executor&, const Csr<double>&);
template Storage<float> convert_csr_to_csc(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_csc(Executor&, const Storage<double>&);
template Storage<float> convert_csc_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_csc_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::opencl
