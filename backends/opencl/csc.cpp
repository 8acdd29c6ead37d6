// Conversions between CSR and CSC on a device: by counts in columns, or by sorting.
#include "csc.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "element_tiles.hpp"
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
constexpr int most_digit_bits = 8;

/// The digits of column numbers, about equally long.
struct Digits {
  int bits = 0;
  int passes = 0;  ///< one for each
};
Digits digits_of(Index cols) {
  const auto largest = static_cast<std::uint64_t>(std::max<Index>(cols - 1, 1));
  const int bits = static_cast<int>(std::bit_width(largest));
  const int passes = (bits + most_digit_bits - 1) / most_digit_bits;
  return {(bits + passes - 1) / passes, passes};
}

/// Whether sorting is predicted to take less time than counting on a GPU. Times are in
/// microseconds, with constants from what an H200 took (docs/results/h200/csc_conversions.json): to
/// count, a work-group takes its rows one after another, and each twice; a pass of sorting has four
/// launches.
template <Element T>
bool sorts_faster(const Csr<T>& from, Index group) {
  const auto elements = static_cast<double>(from.nnz);
  const Index rows_each = from.rows / stretches_of(from.rows, from.cols);
  const Index mean = from.nnz / std::max<Index>(from.rows, 1);
  const double by_counting =
      30 + 2 * 1.35 * static_cast<double>(rows_each * divided_up(mean + 1, group));
  return 30 + digits_of(from.cols).passes * (18 + 2e-5 * elements) < by_counting;
}

/// Whether there is room for two copies of the elements on their way.
template <Element T>
bool has_room(const Device& device, const Csr<T>& from) {
  const auto needed = static_cast<std::size_t>(2 * from.nnz * Elements<T>::bytes_each);
  return needed < device.memory()->available() / 2;
}

/// One pass over all elements, by the digit from bit `shift` on. In the first one `row_of` is
/// empty.
template <Element T, class Offset>
void sort_by_digit(Device& device, const Csr<T>& from, const Array<Offset>& offsets, int shift,
                   const Array<Column>& columns, const Array<Column>& row_of,
                   const Array<T>& values, Elements<T>& to) {
  const ProgramKey key{"csc_convert", precision_of<T>, width_of(offsets)};
  const auto from_bit = static_cast<cl_uint>(shift);
  const auto bits = static_cast<cl_uint>(digits_of(from.cols).bits);
  Kernel& count = device.kernel(key, "csc_digits");
  const Index groups = divided_up(from.nnz, tile_elements(count.group));
  const Array<std::uint32_t> totals(groups << bits, device.memory());
  device.launch(count, groups, from.nnz, from_bit, bits, columns, totals);
  const Array<Offset> starts(totals.size() + 1, device.memory());
  const ChunkSums sums = sum_chunks(device, precision_of<T>, totals.size(), totals);
  write_offsets(device, precision_of<T>, totals.size(), 1, totals, sums, starts, starts);
  Array<std::int64_t> tile_rows;
  const bool is_first = row_of.size() == 0;
  if (is_first) tile_rows = rows_of_tiles(device, key, from.rows, from.nnz, offsets, groups);
  device.launch(device.kernel(key, "csc_sort"), groups, from.nnz, from_bit, bits,
                static_cast<cl_uint>(is_first), starts, offsets, tile_rows, columns, row_of, values,
                to.columns, to.row_of, to.values);
}

template <Element T, class Offset>
Csr<T> by_sorting(Device& device, const Csr<T>& from, const Array<Offset>& offsets) {
  const auto& memory = device.memory();
  const Digits digits = digits_of(from.cols);
  Elements<T> sorted(from.nnz, memory);
  Elements<T> before;
  sort_by_digit(device, from, offsets, 0, from.columns, {}, from.values, sorted);
  for (int pass = 1; pass < digits.passes; ++pass) {
    std::swap(sorted, before);
    if (sorted.columns.size() == 0) sorted = Elements<T>(from.nnz, memory);
    sort_by_digit(device, from, offsets, pass * digits.bits, before.columns, before.row_of,
                  before.values, sorted);
  }
  Csr<T> to{from.cols, from.rows, from.nnz, Array<Offset>(from.cols + 1, memory), {}, {}};
  Kernel& starts = device.kernel({"csc_convert", precision_of<T>, width_of(offsets)}, "csc_starts");
  device.launch(starts, divided_up(from.cols + 1, starts.group), from.cols, from.nnz,
                sorted.columns, std::get<Array<Offset>>(to.offsets));
  to.columns = std::move(sorted.row_of);
  to.values = std::move(sorted.values);
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
  const bool sorts = sorts_faster(from, device.tuning().group) && has_room(device, from);
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
    const bool sorts = way == Transposing::BySorting;
    return sorts ? by_sorting(device, from, offsets) : by_counting(device, from, offsets);
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
