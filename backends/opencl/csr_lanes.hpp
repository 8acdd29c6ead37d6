// How many work-items share a row of a matrix in compressed rows.
#pragma once

#include <algorithm>

#include "device.hpp"
#include "lanes.hpp"

namespace switchyard::opencl {

/// Items for each row of a matrix in compressed rows: the mean row is shared among up to a warp.
/// More for very long rows, or where rows are too few to fill the device otherwise: nobody waits
/// long for an uneven row then (H200, 17758 rows of 7 and a few of 350: 27.8 us with 1 item a
/// row, 5.2 with 16).
template <Element T, class Rows>
[[nodiscard]] Index csr_lanes(const Device& device, Index group, const Rows& a) {
  const Index mean = divided_up(a.nnz, a.rows);
  const Index warp = std::min<Index>(nvidia_warp, group);
  const Tuning& tuning = device.tuning();
  const Index each = sizeof(T) == 4 ? tuning.csr_floats_per_lane : tuning.csr_doubles_per_lane;
  const Index to_fill = lanes_to_fill(device.facts(), a.rows);
  if (mean <= each * warp) return lanes_for(std::max(divided_up(mean, each), to_fill), warp);
  return lanes_for(std::clamp(std::min(8 * to_fill, mean / 32), warp, group), group);
}

}  // namespace switchyard::opencl
