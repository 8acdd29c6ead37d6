// Whether rows of X are asked for before they are needed.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <switchyard/containers/numbers.hpp>

namespace switchyard::openmp {

/// Asking for rows of a larger X, of `row_bytes` bytes each, repays what it takes: as much for a
/// short row, of which less is gained (a prototype, ten random columns a row, in float on an Intel
/// core with AVX-512 and 2 MB of second cache, not asked for and asked for: with eight columns X of
/// 1 MB 441 us and 483, of 8 MB 14.8 ms and 13.3; with 16 X of 2 MB 839 us and 811; with 64 X of 4
/// MB 1.8 ms and 1.5).
constexpr Index near_bytes(Index row_bytes) noexcept {
  constexpr Index least = Index{1} << 20;
  constexpr Index long_row = 256;
  return least * std::max<Index>(long_row / row_bytes, 1);
}

/// Rows of X that lie further apart are on other pages.
inline constexpr Index page_bytes = 4096;

/// Whether X, of `x_rows` rows of `row_bytes` bytes, is large, and most of `samples` nonzeros read
/// rows of it far from what was read about one row of the matrix earlier. The processor's own
/// prefetching finds the others, and asking for them costs more than it saves (8 columns in float
/// on 2 Zen 5 cores: a power-law graph of 400000 rows takes half the time, a 5-point stencil 1.6
/// times as long).
[[nodiscard]] inline bool reads_far_rows(const Column* columns, Index nonzeros, Index rows,
                                         Index x_rows, Index row_bytes, Index samples = 64) {
  if (rows == 0 || x_rows * row_bytes <= near_bytes(row_bytes)) return false;
  const Index mean = (nonzeros + rows / 2) / rows;
  const Index span = nonzeros - mean - 1;
  if (span <= 0) return false;
  Index far = 0;
  for (Index s = 0; s < samples; ++s) {
    const Column* const nonzero = columns + span * s / samples;
    const auto is_near = [&](Index ahead) {
      return std::abs(Index{nonzero[ahead]} - Index{*nonzero}) * row_bytes <= page_bytes;
    };
    far += is_near(mean) || is_near(mean + 1) || (mean > 1 && is_near(mean - 1)) ? 0 : 1;
  }
  return 2 * far > samples;
}

}  // namespace switchyard::openmp
