// Whether rows of X are asked for before they are needed.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <switchyard/containers/numbers.hpp>

namespace switchyard::openmp {

/// A larger X does not stay in the caches of one core.
inline constexpr Index near_bytes = Index{1} << 20;
/// Rows of X that lie further apart are on other pages.
inline constexpr Index page_bytes = 4096;

/// Whether most of `samples` nonzeros read rows of X, `row_bytes` long, far from what was read
/// about one row of the matrix earlier. The processor's own prefetching finds the others, and
/// asking for them costs more than it saves (8 columns in float on 2 Zen 5 cores: a power-law graph
/// of 400000 rows takes half the time, a 5-point stencil 1.6 times as long).
[[nodiscard]] inline bool reads_far_rows(const Column* columns, Index nonzeros, Index rows,
                                         Index row_bytes, Index samples = 64) {
  const Index mean = (nonzeros + rows / 2) / std::max<Index>(rows, 1);
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
