// Fits a cost model: sorts out the samples, chooses the tiers, and measures how good it came out.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/models/cost_model.hpp>
#include <tuple>

#include "candidate_terms.hpp"
#include "tier_search.hpp"

namespace switchyard {

namespace {

constexpr std::size_t fewest_samples = 4;
/// A model that is off by a factor of two on more samples than this is none.
constexpr double most_misfits = 0.4;

bool usable(const Sample& sample) {
  if (!(sample.seconds >= 1e-12 && sample.seconds <= 1e9)) return false;
  return std::all_of(sample.features.values.begin(), sample.features.values.end(),
                     [](double value) { return value >= 0 && value <= 1e18; });
}

/// By bytes first, so that a tier is a run of samples; by everything else after, so that the order
/// in which they were taken does not matter.
std::vector<Sample> sorted_usable(std::span<const Sample> samples) {
  std::vector<Sample> kept;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(kept), usable);
  static_assert(static_cast<int>(Quantity::Bytes) == 0);
  std::sort(kept.begin(), kept.end(), [](const Sample& a, const Sample& b) {
    return std::tie(a.features.values, a.seconds) < std::tie(b.features.values, b.seconds);
  });
  return kept;
}

/// The tier as it is kept: its polynomial, the box of its samples, its floor.
ModelTier model_tier(std::span<const Sample> samples, const FittedTier& fitted) {
  ModelTier tier{fitted.up_to_bytes, fitted.fit.polynomial, samples[0].features,
                 samples[0].features, std::numeric_limits<double>::infinity()};
  double seconds_per_byte = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (std::size_t q = 0; q < quantity_count; ++q) {
      const double value = samples[i].features.values[q];
      tier.lowest.values[q] = std::min(tier.lowest.values[q], value);
      tier.highest.values[q] = std::max(tier.highest.values[q], value);
    }
    // The cheapest call that was seen, and the cheapest byte: in the corners of the box, quantities
    // may meet that never met in a sample, and their sum may be less than any call takes, or less
    // than the memory allows.
    if (fitted.fit.trust[i] > 0) {
      const double bytes = samples[i].features[Quantity::Bytes];
      tier.floor_seconds = std::min(tier.floor_seconds, samples[i].seconds);
      if (bytes > 0) seconds_per_byte = std::min(seconds_per_byte, samples[i].seconds / bytes);
    }
  }
  if (!std::isfinite(tier.floor_seconds)) tier.floor_seconds = 0;
  if (std::isfinite(seconds_per_byte)) tier.floor_seconds_per_byte = seconds_per_byte;
  return tier;
}

/// The value that a share of `sorted` does not exceed, by the nearest rank.
double quantile(const std::vector<double>& sorted, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

/// 1 - residual / total sum of squares. Where all samples took equally long there is nothing to
/// explain: 1 if the model says so too, 0 otherwise.
double r_squared(const CostModel& model) {
  double mean = 0;
  for (const Sample& sample : model.samples) mean += sample.seconds;
  mean /= static_cast<double>(model.samples.size());
  double total = 0;
  double residual = 0;
  for (const Sample& sample : model.samples) {
    const double off = model.predict(sample.features).seconds - sample.seconds;
    total += (sample.seconds - mean) * (sample.seconds - mean);
    residual += off * off;
  }
  const double rounding = 1e-12 * mean * mean * static_cast<double>(model.samples.size());
  if (total <= rounding) return residual <= rounding ? 1 : 0;
  return 1 - residual / total;
}

bool fits_most(const CostModel& model) {
  const auto misfits =
      std::count_if(model.samples.begin(), model.samples.end(), [&](const Sample& sample) {
        const double predicted = model.predict(sample.features).seconds;
        return !(predicted <= 2 * sample.seconds && 2 * predicted >= sample.seconds);
      });
  return static_cast<double>(misfits) <= most_misfits * static_cast<double>(model.samples.size());
}

}  // namespace

std::optional<CostModel> fit_cost_model(const ModelKey& key, std::span<const Sample> samples,
                                        const FitOptions& options) try {
  CostModel model{key, {}, {}, sorted_usable(samples)};
  if (model.samples.size() < fewest_samples) return std::nullopt;
  std::vector<double> errors;
  const std::span<const Sample> sorted = model.samples;
  const std::vector<Term> candidates = candidate_terms(key);
  for (const FittedTier& tier : fit_tiers(sorted, candidates, options)) {
    if (tier.fit.polynomial.terms.empty()) return std::nullopt;
    model.tiers.push_back(model_tier(sorted.subspan(tier.begin, tier.end - tier.begin), tier));
    for (const double ratio : tier.fit.held_out) errors.push_back(std::abs(ratio - 1));
  }
  if (!fits_most(model)) return std::nullopt;
  std::sort(errors.begin(), errors.end());
  model.quality = {static_cast<Index>(model.samples.size()), r_squared(model),
                   quantile(errors, 0.5), quantile(errors, 0.95)};
  return model;
} catch (const std::bad_alloc&) {
  throw_out_of_memory();
}

}  // namespace switchyard
