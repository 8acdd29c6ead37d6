// Scaling a sibling or a built-in model to the fast samples.
#include "fallback.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <switchyard/containers/robust_statistics.hpp>
#include <switchyard/models/builtin.hpp>

namespace switchyard {
namespace {

/// Of a model that is scaled from another one.
constexpr double sibling_error = 2;
/// Of the built-in model, scaled.
constexpr double assumed_error = 3;
constexpr double largest_factor = 16;

/// Other programs make times longer and never shorter: the first quartile.
double fast_one(std::vector<double> values) {
  std::ranges::sort(values);
  return quantile_of_sorted(values, 0.25);
}

bool are_siblings(const ModelKey& one, const ModelKey& other) {
  return one.operation == other.operation && one.from == other.from && one.to == other.to &&
         one.operand == other.operand && one.many_columns == other.many_columns;
}

/// The most accurate sibling, of the same precision if there is one.
const CostModel* sibling_of(const ModelKey& key, const std::vector<CostModel>& fitted) {
  const CostModel* best = nullptr;
  const auto is_better = [&](const CostModel& model) {
    const bool same = model.key.precision == key.precision;
    const bool best_same = best->key.precision == key.precision;
    if (same != best_same) return same;
    return model.quality.p95_error < best->quality.p95_error;
  };
  for (const CostModel& model : fitted) {
    if (are_siblings(model.key, key) && (!best || is_better(model))) best = &model;
  }
  return best;
}

/// Makes all of it slower or faster, but a measured cost of a byte no less: what is faster on small
/// matrices does not read memory faster.
void scale(CostModel& model, double factor, bool measured) {
  for (ModelTier& tier : model.tiers) {
    tier.floor_seconds *= factor;
    tier.floor_seconds_per_byte *= measured ? std::max(factor, 1.0) : factor;
    tier.ceiling_seconds *= factor;
    for (Term& term : tier.polynomial.terms) term.coefficient *= factor;
  }
}

/// The built-in model of default figures. Of a build there is none but its samples' time.
CostModel assumed(const ModelKey& key, const std::vector<Sample>& samples) {
  SpaceFigures figures;
  if (key.operation == Operation::Build) {
    std::vector<double> seconds;
    for (const Sample& sample : samples) seconds.push_back(sample.seconds);
    figures.build_seconds = fast_one(seconds);
  }
  const auto spaces = static_cast<std::size_t>(Space::most_devices) + 1;
  CostModel model =
      builtin_profile({}, {key}, std::vector<SpaceFigures>(spaces, figures)).models().front();
  model.quality.p95_error = assumed_error;
  return model;
}

/// The box of the samples, outside which predictions are extrapolated.
void set_domain(ModelTier& tier, const std::vector<Sample>& samples) {
  tier.lowest = tier.highest = samples.front().features;
  for (const Sample& sample : samples) {
    for (std::size_t q = 0; q < quantity_count; ++q) {
      const double value = sample.features.values[q];
      tier.lowest.values[q] = std::min(tier.lowest.values[q], value);
      tier.highest.values[q] = std::max(tier.highest.values[q], value);
    }
  }
}

/// How many times as long as predicted the larger samples took. A thread alone is many times as
/// fast as a team on the smallest matrices, which says nothing of others.
double factor_of(const CostModel& model, std::vector<Sample> samples) {
  std::ranges::sort(samples, {},
                    [](const Sample& sample) { return sample.features[Quantity::Bytes]; });
  std::vector<double> ratios;
  for (const Sample& sample : std::span(samples).subspan(samples.size() / 2)) {
    const double predicted = model.predict(sample.features).seconds;
    if (predicted > 0 && std::isfinite(predicted)) ratios.push_back(sample.seconds / predicted);
  }
  const double factor = ratios.empty() ? 1 : fast_one(ratios);
  return std::clamp(factor, 1 / largest_factor, largest_factor);
}

}  // namespace

bool is_usable(const Sample& sample) noexcept {
  return sample.seconds > 0 && std::isfinite(sample.seconds) &&
         std::isfinite(sample.features[Quantity::Bytes]);
}

std::optional<CostModel> fallback_model(const ModelKey& key, const std::vector<Sample>& samples,
                                        const std::vector<CostModel>& fitted) {
  std::vector<Sample> usable;
  std::ranges::copy_if(samples, std::back_inserter(usable), &is_usable);
  const CostModel* const sibling = sibling_of(key, fitted);
  if (!sibling && usable.empty()) return std::nullopt;
  CostModel model = sibling ? *sibling : assumed(key, usable);
  if (!sibling) set_domain(model.tiers.front(), usable);
  scale(model, factor_of(model, usable), sibling != nullptr);
  const double error = std::max(model.quality.p95_error, sibling_error);
  model.key = key;
  model.built_in = false;
  model.quality = {static_cast<Index>(usable.size()), 0, error / 2, error};
  model.samples = std::move(usable);
  return model;
}

}  // namespace switchyard
