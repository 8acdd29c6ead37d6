// How a product's work is cut among the host's threads.
#pragma once

#include <omp.h>

#include <algorithm>
#include <switchyard/containers/numbers.hpp>

namespace switchyard::openmp {

/// Threads beyond so many take no part.
inline constexpr int most_threads = 512;

[[nodiscard]] inline int team_size() { return std::min(omp_get_max_threads(), most_threads); }

/// Where part `part` of `parts` begins of `size` items handed out in multiples of `unit`.
[[nodiscard]] inline Index part_begin(Index size, int part, int parts, Index unit = 1) {
  const Index units = (size + unit - 1) / unit;
  return std::min(units * part / parts * unit, size);
}

}  // namespace switchyard::openmp
