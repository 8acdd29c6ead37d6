// How a product's work is cut among the host's threads.
#pragma once

#include <omp.h>

#include <algorithm>
#include <switchyard/backends/operations.hpp>

namespace switchyard::openmp {

/// Threads beyond so many take no part.
inline constexpr int most_threads = 512;

[[nodiscard]] inline int team_size() { return std::min(omp_get_max_threads(), most_threads); }

/// The threads of a variant, 1 at least.
[[nodiscard]] inline int team_size(Threads threads) {
  if (threads == Threads::One) return 1;
  return threads == Threads::All ? team_size() : std::max(team_size() / 2, 1);
}

/// With fewer bytes for each thread, one alone is faster than waking the others, which takes 0.4 to
/// 0.5 us for a hot team of two and 3 us for one of fifteen, while bytes that are read one after
/// another pass at some 100 GB/s a thread. For conversions and vectors; multiplies have variants.
inline constexpr Index bytes_worth_a_thread = 24 << 10;

/// Whether work on so many bytes is for more than one thread.
[[nodiscard]] inline bool worth_threads(Index bytes) {
  const int threads = team_size();
  return threads > 1 && bytes >= bytes_worth_a_thread * threads;
}

/// Where part `part` of `parts` begins of `size` items handed out in multiples of `unit`.
[[nodiscard]] inline Index part_begin(Index size, int part, int parts, Index unit = 1) {
  const Index units = (size + unit - 1) / unit;
  return std::min(units * part / parts * unit, size);
}

/// What becomes of y's element; with beta == 0 it is not read.
template <Element T>
[[nodiscard]] T updated(T alpha, T sum, T beta, const T& y) {
  return beta == T{0} ? alpha * sum : alpha * sum + beta * y;
}

}  // namespace switchyard::openmp
