// Scaling a model of CSR to another format's samples, tier by tier.
#include "relative_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <switchyard/containers/robust_statistics.hpp>
#include <switchyard/models/model_quality.hpp>

#include "fallback.hpp"

namespace switchyard {
namespace {

/// Of a sample in another tier, beside those in the tier itself.
constexpr double weight_elsewhere = 0.1;

/// Whether both are of the same matrix and request, as far as the format's features tell.
bool is_of_same_matrix(const Features& features, const Features& csr) {
  const auto is_same = [&](Quantity quantity) { return features[quantity] == csr[quantity]; };
  const bool knows_nonzeros = features[Quantity::Nonzeros] > 0;
  return is_same(Quantity::Rows) && is_same(Quantity::Cols) && is_same(Quantity::Elements) &&
         (!knows_nonzeros || is_same(Quantity::Nonzeros));
}

/// Whether the format works on each of its slots as CSR does on each nonzero.
bool has_slots_for_nonzeros(const std::vector<Sample>& samples) {
  return std::ranges::all_of(samples, [](const Sample& sample) {
    const double slots = sample.features[Quantity::Stored];
    return slots > 0 && slots >= sample.features[Quantity::Nonzeros];
  });
}

void move(Features& features, Quantity from, Quantity to) { features[to] = features[from]; }

/// The model of CSR as one of the format with these samples.
CostModel as_if_csr(const CostModel& csr, const std::vector<Sample>& samples) {
  CostModel model = csr;
  const bool slots = has_slots_for_nonzeros(samples);
  const auto index = [](Quantity quantity) { return static_cast<std::size_t>(quantity); };
  for (ModelTier& tier : model.tiers) {
    if (slots) {
      move(tier.lowest, Quantity::Nonzeros, Quantity::Stored);
      move(tier.highest, Quantity::Nonzeros, Quantity::Stored);
      for (Term& term : tier.polynomial.terms) {
        std::swap(term.exponents[index(Quantity::Nonzeros)],
                  term.exponents[index(Quantity::Stored)]);
      }
    }
    // What the format's cost does not depend on is 0 in its features: no reason for a doubt.
    for (std::size_t q = 0; q < quantity_count; ++q) {
      if (q == index(Quantity::Bytes)) continue;
      for (const Sample& sample : samples) {
        tier.lowest.values[q] = std::min(tier.lowest.values[q], sample.features.values[q]);
      }
    }
  }
  return model;
}

/// The longest row takes at least so much for each of its elements, however long it is: what was
/// measured of shorter ones limits nothing.
void expect_row_steps(CostModel& model, double seconds) {
  constexpr double longest = 1LL << 31;
  const Term step = Term::of({Quantity::Longest}, seconds);
  for (ModelTier& tier : model.tiers) {
    tier.highest[Quantity::Longest] = longest;
    tier.ceiling_seconds = std::numeric_limits<double>::infinity();
    std::vector<Term>& terms = tier.polynomial.terms;
    const auto known = std::ranges::find(terms, step.exponents, &Term::exponents);
    if (known == terms.end()) {
      terms.push_back(step);
    } else {
      known->coefficient = std::max(known->coefficient, seconds);
    }
  }
}

/// A matrix that was measured in the format.
struct Measured {
  Sample sample;      ///< in the format
  double log_as_csr;  ///< what the model of CSR predicts, with the format's features
  std::size_t tier;   ///< of the model
  /// How much longer it took, in comparison with CSR. Nothing where this was not measured in CSR.
  std::optional<double> log_factor;
};

std::size_t tier_of(const CostModel& model, double bytes) {
  std::size_t tier = 0;
  while (tier + 1 < model.tiers.size() && bytes > model.tiers[tier].up_to_bytes) ++tier;
  return tier;
}

std::optional<double> log_factor_to(const CsrProduct& product, const Sample& sample,
                                    double predicted) {
  const auto csr = std::ranges::find_if(*product.samples, [&](const Sample& other) {
    return is_usable(other) && is_of_same_matrix(sample.features, other.features);
  });
  if (csr == product.samples->end()) return std::nullopt;
  const double of_csr = product.model->predict(csr->features).seconds;
  if (!(of_csr > 0)) return std::nullopt;
  return std::log(sample.seconds / csr->seconds * of_csr / predicted);
}

std::vector<Measured> compared(const std::vector<Sample>& samples, const CsrProduct& product,
                               const CostModel& as_csr) {
  std::vector<Measured> all;
  for (const Sample& sample : samples) {
    if (!is_usable(sample)) continue;
    const double predicted = as_csr.predict(sample.features).seconds;
    if (!(predicted > 0) || !std::isfinite(predicted)) continue;
    all.push_back({sample, std::log(predicted), tier_of(as_csr, sample.features[Quantity::Bytes]),
                   log_factor_to(product, sample, predicted)});
  }
  return all;
}

/// The weighted median of the factors, without that of `left_out`, for one tier.
double log_factor_of(const std::vector<Measured>& all, std::size_t tier, const Measured* left_out) {
  std::vector<std::pair<double, double>> factors;
  double total = 0;
  for (const Measured& one : all) {
    if (&one == left_out || !one.log_factor) continue;
    factors.emplace_back(*one.log_factor, one.tier == tier ? 1 : weight_elsewhere);
    total += factors.back().second;
  }
  std::ranges::sort(factors);
  double below = 0;
  for (const auto& [factor, weight] : factors) {
    below += weight;
    if (below >= total / 2) return factor;
  }
  return 0;
}

/// Makes all of the tier slower or faster, but the cost of a byte only as low as was measured: what
/// is faster on small matrices does not read memory faster.
void scale(ModelTier& tier, double factor, const std::vector<Measured>& all) {
  double per_byte = tier.floor_seconds_per_byte * std::max(factor, 1.0);
  for (const Measured& one : all) {
    const double bytes = one.sample.features[Quantity::Bytes];
    if (bytes > 0 && bytes <= tier.up_to_bytes) {
      per_byte = std::min(per_byte, one.sample.seconds / bytes);
    }
  }
  tier.floor_seconds_per_byte = per_byte;
  tier.floor_seconds *= factor;
  tier.ceiling_seconds *= factor;
  for (Term& term : tier.polynomial.terms) term.coefficient *= factor;
}

/// Of all matrices: the easy ones may be those that were measured in CSR as well.
ModelQuality quality_of(const std::vector<Measured>& all) {
  std::vector<double> errors;
  for (const Measured& one : all) {
    const double factor = log_factor_of(all, one.tier, &one);
    errors.push_back(prediction_error(std::exp(factor + one.log_as_csr), one.sample.seconds));
  }
  std::ranges::sort(errors);
  return {std::ssize(all), 0, quantile_of_sorted(errors, 0.5), quantile_of_sorted(errors, 0.95)};
}

std::optional<CostModel> relative_to(const CsrProduct& product, const ModelKey& key,
                                     const std::vector<Sample>& samples, double row_step_seconds) {
  CostModel model = as_if_csr(*product.model, samples);
  if (row_step_seconds > 0) expect_row_steps(model, row_step_seconds);
  const std::vector<Measured> all = compared(samples, product, model);
  const auto in_both =
      std::ranges::count_if(all, [](const Measured& one) { return one.log_factor.has_value(); });
  if (in_both < fewest_usable_samples) return std::nullopt;
  for (std::size_t t = 0; t < model.tiers.size(); ++t) {
    scale(model.tiers[t], std::exp(log_factor_of(all, t, nullptr)), all);
  }
  model.key = key;
  model.built_in = false;
  model.quality = quality_of(all);
  model.samples.clear();
  for (const Measured& one : all) model.samples.push_back(one.sample);
  model.quality.r_squared = r_squared(model);
  return model;
}

/// Half of it is the typical error, half the tail, which costs more where it occurs.
double score(const CostModel& model) noexcept {
  return std::log1p(model.quality.median_error) + std::log1p(model.quality.p95_error);
}

}  // namespace

std::optional<CostModel> relative_model(const ModelKey& key, const std::vector<Sample>& samples,
                                        std::span<const CsrProduct> products,
                                        double row_step_seconds) {
  std::optional<CostModel> best;
  if (samples.empty()) return best;
  for (const CsrProduct& product : products) {
    auto model = relative_to(product, key, samples, row_step_seconds);
    if (model && (!best || is_less_accurate(*best, *model))) best = std::move(model);
  }
  return best;
}

bool is_less_accurate(const CostModel& one, const CostModel& other) noexcept {
  return score(one) > score(other);
}

}  // namespace switchyard
