// The fit of one tier: robust weights, then terms chosen by cross-validation.
#pragma once

#include <span>
#include <switchyard/models/cost_model.hpp>
#include <vector>

namespace switchyard {

/// What came of it.
struct TierFit {
  Polynomial polynomial;  ///< no terms where nothing could be fitted
  /// Predicted / measured for each sample, by a fit that did not see it.
  std::vector<double> held_out;
  /// For each sample, from 0 (a spike, left out) to 1.
  std::vector<double> trust;
};

/// The largest error that a sample can have in the choice of terms and tiers, a factor of e
/// squared, so that a spike weighs the same in every fit and decides between none.
inline constexpr double largest_error = 2;

/// |log(predicted / measured)|, at most `largest_error`: a factor counts the same up and down.
[[nodiscard]] double capped_error(double ratio) noexcept;

/// Fits `samples` with terms from `candidates`. Sample i is held out in fold i mod `folds`, so
/// sorted samples give folds that are alike. REQUIRES: at least two samples, each positive and
/// finite, features not above 1e18 so that no product of two overflows; 2 <= folds.
[[nodiscard]] TierFit fit_tier(std::span<const Sample> samples, std::span<const Term> candidates,
                               int folds);

}  // namespace switchyard
