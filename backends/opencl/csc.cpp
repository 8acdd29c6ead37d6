// Conversions between CSR and CSC on a device: counting in columns, scanning, and filling.
#include "csc.hpp"

#include <algorithm>

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

template <Element T, class Offset>
void fill(Device& device, const Csr<T>& from, const Array<Offset>& offsets, Csr<T>& to) {
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
  if (from.nnz == 0) return;
  device.launch(device.kernel(key, "csc_fill"), stretches, from.rows, from.cols, offsets,
                from.columns, from.values, counts, starts, to.columns, to.values);
}

template <Element T>
Csr<T> transposed(Executor& executor, const Csr<T>& from) {
  Device& device = device_of(executor);
  Csr<T> to = sized_like(from, device.memory());
  std::visit([&](const auto& offsets) { fill(device, from, offsets, to); }, from.offsets);
  return to;
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

template Storage<float> convert_csr_to_csc(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_csc(Executor&, const Storage<double>&);
template Storage<float> convert_csc_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_csc_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::opencl
