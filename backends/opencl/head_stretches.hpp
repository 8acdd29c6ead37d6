// Stretches of the heads of blocked columns: where their elements are is not told by heads alone.
#pragma once

#include "device.hpp"
#include "lanes.hpp"
#include "packed_arrays.hpp"
#include "scan.hpp"

namespace switchyard::opencl {

/// Heads of a stretch (STRETCH in packed_convert.cl and csr_merge.cl).
inline constexpr Index heads_of_stretch = 128;

/// The number of heads of blocked columns.
template <Element T>
[[nodiscard]] Index heads_of(const Packed<T>& a) noexcept {
  return a.heads.size() / words_of_head(a.cols);
}

/// The first element of each stretch of heads, and the end of the last. Waits for nothing.
/// REQUIRES: blocked columns.
template <class Offset, Element T>
[[nodiscard]] Array<Offset> starts_of_stretches(Device& device, const Packed<T>& a) {
  const Index heads = heads_of(a);
  const Index stretches = divided_up(heads, heads_of_stretch);
  Array<Offset> starts(stretches + 1, device.memory());
  const ProgramKey key{packed_programs(a.format).convert, precision_of<T>, width_of(starts)};
  Kernel& count = device.kernel(key, "count_elements");
  const Array<std::uint32_t> counts(stretches, device.memory());
  device.launch(count, divided_up(stretches, count.group), a.nnz, heads, a.heads,
                static_cast<cl_uint>(words_of_head(a.cols)), counts);
  const ChunkSums sums = sum_chunks(device, precision_of<T>, stretches, counts);
  write_offsets(device, precision_of<T>, stretches, 1, counts, sums, starts, starts);
  return starts;
}

}  // namespace switchyard::opencl
