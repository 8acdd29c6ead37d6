// Offsets from counts, on the device.
#pragma once

#include "device.hpp"
#include "lanes.hpp"

namespace switchyard::opencl {

/// The program of the kernels that scan.
inline constexpr std::string_view scan_program = "dense_to_csr";

/// Counts cut into chunks, and the sum before each.
struct ChunkSums {
  Index chunks = 0;
  Array<std::uint64_t> before;  ///< each chunk, then of all
};

/// Sums the chunks of `count` counts of 32 bits. Waits for nothing.
template <class Count>
[[nodiscard]] ChunkSums sum_chunks(Device& device, Precision precision, Index count,
                                   const Array<Count>& counts) {
  static_assert(sizeof(Count) == 4);
  const ProgramKey key{scan_program, precision, OffsetWidth::Narrow};
  Kernel& kernel = device.kernel(key, "sum_chunks");
  ChunkSums sums;
  // The end of the last one is written as well.
  sums.chunks = divided_up(count + 1, kernel.group * device.tuning().stretches_per_item);
  sums.before = Array<std::uint64_t>(sums.chunks + 1, device.memory());
  const bool meet = device.groups_can_meet();
  const Device::Scratch scratch = device.scratch(0);
  device.launch(kernel, sums.chunks, count, counts, sums.before, cl_uint{meet}, scratch.arrivals);
  if (!meet) device.launch(device.kernel(key, "scan_chunks"), 1, sums.chunks, sums.before);
  return sums;
}

/// The sum of all counts; waits for it.
[[nodiscard]] inline Index total_of(Device& device, const ChunkSums& sums) {
  std::uint64_t total = 0;
  device.memory()->copy_out(&total, sums.before.handle(),
                            static_cast<std::size_t>(sums.chunks) * sizeof total, sizeof total);
  return narrow<Index>(total);
}

/// Writes where each of `count` stretches starts, and the end of the last, into `starts`; and of
/// every `parts`-th the same into `offsets`, which may be the same array where `parts` is 1.
template <class Count, class Offset>
void write_offsets(Device& device, Precision precision, Index count, Index parts,
                   const Array<Count>& counts, const ChunkSums& sums, const Array<Offset>& starts,
                   const Array<Offset>& offsets) {
  static_assert(sizeof(Count) == 4);
  const ProgramKey key{scan_program, precision, width_of(offsets)};
  device.launch(device.kernel(key, "write_offsets"), sums.chunks, count,
                static_cast<cl_uint>(parts), counts, sums.before, starts, offsets);
}

}  // namespace switchyard::opencl
