// How a product's work is cut among the host's threads.
#pragma once

#include <omp.h>

#include <algorithm>
#include <switchyard/containers/numbers.hpp>

namespace switchyard::openmp {

/// Threads beyond so many take no part.
inline constexpr int most_threads = 512;

[[nodiscard]] inline int team_size() { return std::min(omp_get_max_threads(), most_threads); }

/// With fewer bytes for each thread, one alone is faster than waking the others, which takes 0.4 to
/// 0.5 us for a hot team of two and 3 us for one of fifteen. Bytes that are read one after another
/// pass at some 100 GB/s a thread, those of sparse rows, whose x is gathered, at a fifth.
inline constexpr Index streamed_worth_a_thread = 24 << 10;
inline constexpr Index gathered_worth_a_thread = 8 << 10;

/// Whether work on so many bytes is for more than one thread.
[[nodiscard]] inline bool worth_threads(Index bytes,
                                        Index worth_a_thread = streamed_worth_a_thread) {
  const int threads = team_size();
  return threads > 1 && bytes >= worth_a_thread * threads;
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
