// Where one tier of a model ends and the next begins.
#pragma once

#include <span>
#include <vector>

#include "tier_fit.hpp"

namespace switchyard {

/// One tier: samples [begin, end) and their fit.
struct FittedTier {
  std::size_t begin = 0;
  std::size_t end = 0;
  double up_to_bytes = 0;  ///< infinite for the last
  TierFit fit;
};

/// Chooses, by the error on held-out samples, no border or up to two among `options.tier_bytes`,
/// their halves and their doubles, and fits each tier. REQUIRES: samples ascending in bytes, and
/// what `fit_tier` requires.
[[nodiscard]] std::vector<FittedTier> fit_tiers(std::span<const Sample> samples,
                                                std::span<const Term> candidates,
                                                const FitOptions& options);

}  // namespace switchyard
