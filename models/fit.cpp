// Fits a cost model: sorts out the samples, chooses the tiers, and measures how good it came out.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/containers/robust_statistics.hpp>
#include <switchyard/models/cost_model.hpp>
#include <switchyard/models/model_quality.hpp>
#include <tuple>

#include "candidate_terms.hpp"
#include "infinity.hpp"
#include "tier_search.hpp"

namespace switchyard {

namespace {

constexpr auto fewest_samples = static_cast<std::size_t>(fewest_usable_samples);
/// A model is refused where fewer samples than this are within a factor of two of it, but for one
/// of a disturbed machine: of its samples fewer need to agree, and nearly all others must be slower
/// by no more than a busy machine explains.
constexpr double least_agreeing = 0.6;
constexpr double least_undisturbed = 0.4;
constexpr double least_explained = 0.9;
constexpr double most_disturbed = 16;
/// A sample that is slower than the others' fit by more than this does not take part in the next.
constexpr double most_undisturbed = 1.4;
/// A fit to undisturbed samples may agree closely with so many fewer of all: the other one is drawn
/// to slow ones too.
constexpr double slightly_fewer = 0.05;
/// A profile stores no infinite error.
constexpr double largest_stored_error = 1e9;

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

/// The tier as it is kept: its polynomial, the box of its samples, its floors and its ceiling.
ModelTier model_tier(std::span<const Sample> samples, const FittedTier& fitted) {
  ModelTier tier{fitted.up_to_bytes,
                 fitted.fit.polynomial,
                 samples[0].features,
                 samples[0].features,
                 infinity,
                 infinity,
                 0};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (std::size_t q = 0; q < quantity_count; ++q) {
      const double value = samples[i].features.values[q];
      tier.lowest.values[q] = std::min(tier.lowest.values[q], value);
      tier.highest.values[q] = std::max(tier.highest.values[q], value);
    }
    // The fastest and the slowest call that was measured, and the highest bandwidth: in the corners
    // of the box, quantities may meet that never met in a sample, and their sum may be less than
    // the memory allows, or far more than any call takes.
    if (!(fitted.fit.trust[i] > 0)) continue;
    const double seconds = samples[i].seconds;
    const double bytes = samples[i].features[Quantity::Bytes];
    tier.floor_seconds = std::min(tier.floor_seconds, seconds);
    tier.ceiling_seconds = std::max(tier.ceiling_seconds, seconds);
    if (bytes > 0) {
      tier.floor_seconds_per_byte = std::min(tier.floor_seconds_per_byte, seconds / bytes);
    }
  }
  if (!std::isfinite(tier.floor_seconds)) tier.floor_seconds = 0;
  if (!std::isfinite(tier.floor_seconds_per_byte)) tier.floor_seconds_per_byte = 0;
  if (!(tier.ceiling_seconds > 0)) tier.ceiling_seconds = infinity;
  return tier;
}

/// A model, and the error of each of its samples by a fit that did not see it.
struct Fitted {
  CostModel model;
  std::vector<double> errors;
};

/// What a fit that did not see the sample predicts, given as predicted / measured, between the
/// floors, ceilings and lower tiers of the model.
double held_out_error(const CostModel& model, const ModelTier& tier, const Sample& sample,
                      double ratio) {
  const double polynomial = tier.polynomial(sample.features);
  const double kept = model.predict(sample.features).seconds;
  double predicted = ratio * sample.seconds;
  if (polynomial > 0) predicted *= kept / polynomial;
  predicted = std::max({predicted, tier.floor_seconds,
                        tier.floor_seconds_per_byte * sample.features[Quantity::Bytes]});
  return std::min(prediction_error(predicted, sample.seconds), largest_stored_error);
}

/// REQUIRES: samples as `sorted_usable` gives them. Nothing where no polynomial fits.
std::optional<Fitted> fitted(const ModelKey& key, const std::vector<Sample>& samples,
                             const FitOptions& options) {
  Fitted result{{key, {}, {}, samples}, {}};
  const std::span<const Sample> sorted = samples;
  const std::vector<Term> candidates = candidate_terms(key);
  const auto tiers = fit_tiers(sorted, candidates, options);
  for (const FittedTier& tier : tiers) {
    if (tier.fit.polynomial.terms.empty()) return std::nullopt;
    result.model.tiers.push_back(
        model_tier(sorted.subspan(tier.begin, tier.end - tier.begin), tier));
  }
  for (std::size_t t = 0; t < tiers.size(); ++t) {
    for (std::size_t i = tiers[t].begin; i < tiers[t].end; ++i) {
      const double ratio = tiers[t].fit.held_out[i - tiers[t].begin];
      result.errors.push_back(
          held_out_error(result.model, result.model.tiers[t], samples[i], ratio));
    }
  }
  return result;
}

/// Measured / predicted.
double slowdown(const CostModel& model, const Sample& sample) {
  return sample.seconds / model.predict(sample.features).seconds;
}

bool agrees(const CostModel& model, const Sample& sample) {
  return prediction_error(model.predict(sample.features).seconds, sample.seconds) <= 1;
}

bool agrees_closely(const CostModel& model, const Sample& sample) {
  return prediction_error(model.predict(sample.features).seconds, sample.seconds) <= 0.25;
}

/// The share of `samples` for which `holds(model, sample)`.
template <class Holds>
double share_of(const std::vector<Sample>& samples, const CostModel& model, Holds holds) {
  const auto count =
      std::ranges::count_if(samples, [&](const Sample& sample) { return holds(model, sample); });
  return static_cast<double>(count) / static_cast<double>(samples.size());
}

/// The half of the samples that are fastest in comparison with the model.
std::vector<Sample> faster_half(const CostModel& model, const std::vector<Sample>& samples) {
  std::vector<double> slowdowns;
  for (const Sample& sample : samples) slowdowns.push_back(slowdown(model, sample));
  const double middle = median(slowdowns);
  std::vector<Sample> faster;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (slowdowns[i] <= middle) faster.push_back(samples[i]);
  }
  return faster;
}

/// Other work on the machine only ever makes a call slower, and may do so to most of them: a fit
/// to the fast samples that agree with each other, where nearly all others are slower than it by a
/// factor that a busy machine explains. Nothing where they are not.
std::optional<Fitted> fitted_to_undisturbed(const CostModel& first,
                                            const std::vector<Sample>& samples,
                                            const FitOptions& options) {
  std::vector<Sample> quiet = faster_half(first, samples);
  std::optional<Fitted> result;
  for (int round = 0; round < 5; ++round) {
    const bool enough = quiet.size() >= fewest_samples &&
                        static_cast<double>(quiet.size()) >=
                            least_undisturbed * static_cast<double>(samples.size());
    if (!enough) return std::nullopt;
    result = fitted(first.key, quiet, options);
    if (!result) return std::nullopt;
    quiet.clear();
    std::ranges::copy_if(samples, std::back_inserter(quiet), [&](const Sample& sample) {
      return slowdown(result->model, sample) <= most_undisturbed;
    });
  }
  const auto explained = [](const CostModel& model, const Sample& sample) {
    const double times = slowdown(model, sample);
    return agrees(model, sample) || (times >= 1 && times <= most_disturbed);
  };
  const bool is_sound = share_of(samples, result->model, agrees) >= least_undisturbed &&
                        share_of(samples, result->model, explained) >= least_explained;
  return is_sound ? result : std::nullopt;
}

/// The model with its quality over all samples, those too that it was not fitted to.
CostModel with_quality(Fitted fitted, std::vector<Sample> samples) {
  const auto is_fitted = [&](const Sample& sample) {
    return std::ranges::any_of(fitted.model.samples, [&](const Sample& other) {
      return other.seconds == sample.seconds && other.features.values == sample.features.values;
    });
  };
  if (samples.size() != fitted.model.samples.size()) {
    for (const Sample& sample : samples) {
      if (is_fitted(sample)) continue;
      const double predicted = fitted.model.predict(sample.features).seconds;
      fitted.errors.push_back(
          std::min(prediction_error(predicted, sample.seconds), largest_stored_error));
    }
  }
  CostModel model = std::move(fitted.model);
  model.samples = std::move(samples);
  std::ranges::sort(fitted.errors);
  model.quality = {static_cast<Index>(model.samples.size()), r_squared(model),
                   quantile_of_sorted(fitted.errors, 0.5), quantile_of_sorted(fitted.errors, 0.95)};
  return model;
}

}  // namespace

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

Index usable_samples(std::span<const Sample> samples) noexcept {
  return static_cast<Index>(std::ranges::count_if(samples, usable));
}

std::optional<CostModel> fit_cost_model(const ModelKey& key, std::span<const Sample> samples,
                                        const FitOptions& options) try {
  std::vector<Sample> sorted = sorted_usable(samples);
  if (sorted.size() < fewest_samples) return std::nullopt;
  std::optional<Fitted> result = fitted(key, sorted, options);
  if (!result) return std::nullopt;
  const bool is_usable = share_of(sorted, result->model, agrees) >= least_agreeing;
  const double closely = share_of(sorted, result->model, agrees_closely);
  if (!is_usable || closely < least_agreeing) {
    // A fit halfway between fast and slow samples is close to neither.
    auto undisturbed = fitted_to_undisturbed(result->model, sorted, options);
    const bool is_better = undisturbed && share_of(sorted, undisturbed->model, agrees_closely) >=
                                              closely - slightly_fewer;
    if (is_better || !is_usable) result = std::move(undisturbed);
  }
  if (!result) return std::nullopt;
  return with_quality(std::move(*result), std::move(sorted));
} catch (const std::bad_alloc&) {
  throw_out_of_memory();
}

}  // namespace switchyard
