// The rules that every stored model keeps, checked before writing and after reading.
#include "model_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace switchyard {

namespace {

// Thirty million years. Sums of such times over any number of calls are still finite.
constexpr double most_seconds = 1e15;

bool is_amount(double value) { return std::isfinite(value) && value >= 0; }
bool is_time(double seconds) { return seconds >= 0 && seconds <= most_seconds; }

/// The most that a tier's polynomial comes to in its domain. Where that has no end, in what a
/// machine can hold.
double most_of_polynomial(const ModelTier& tier) {
  constexpr double large = 1e12;
  double sum = 0;
  for (const Term& term : tier.polynomial.terms) {
    double product = term.coefficient;
    for (std::size_t q = 0; q < quantity_count; ++q) {
      product *= std::pow(std::min(tier.highest.values[q], large), term.exponents[q]);
    }
    sum += product;
  }
  return sum;
}

std::string_view complaint_about(const Term& term) {
  if (!is_amount(term.coefficient)) return "a coefficient is negative or not finite";
  const int degree = std::accumulate(term.exponents.begin(), term.exponents.end(), 0);
  return degree > highest_exponent ? "the degree of a term is absurd" : "";
}

std::string_view complaint_about(const ModelTier& tier) {
  if (tier.polynomial.terms.empty()) return "there are no terms";
  for (const Term& term : tier.polynomial.terms) {
    if (const auto complaint = complaint_about(term); !complaint.empty()) return complaint;
  }
  if (!is_amount(tier.floor_seconds) || !is_amount(tier.floor_seconds_per_byte)) {
    return "the floor is negative or not finite";
  }
  if (!(tier.ceiling_seconds > 0)) return "the ceiling is not positive";
  if (!is_time(tier.floor_seconds) || !is_time(tier.floor_seconds_per_byte)) {
    return "the floor is too large";
  }
  if (!(tier.up_to_bytes >= 0)) return "the border is negative or not a number";
  for (std::size_t q = 0; q < quantity_count; ++q) {
    const double lowest = tier.lowest.values[q];
    if (!is_amount(lowest)) return "the domain begins below 0 or is not finite";
    if (!(tier.highest.values[q] >= lowest)) return "the domain ends before it begins";
  }
  if (tier.lowest[Quantity::Bytes] > tier.up_to_bytes) return "the domain is above the border";
  const bool is_last = std::isinf(tier.up_to_bytes);
  const double most = most_of_polynomial(tier);
  return is_time(is_last ? most : std::min(most, tier.ceiling_seconds))
             ? ""
             : "its predictions are too large";
}

std::string complaint_about(const std::vector<ModelTier>& tiers) {
  if (tiers.empty()) return "there are no tiers";
  for (std::size_t i = 0; i < tiers.size(); ++i) {
    const std::string_view complaint = complaint_about(tiers[i]);
    if (!complaint.empty()) return fmt::format("tier {}: {}", i, complaint);
    if (std::isfinite(tiers[i].up_to_bytes) != (i + 1 < tiers.size())) {
      return fmt::format("tier {}: only the last one is without a border", i);
    }
    if (i > 0 && !(tiers[i - 1].up_to_bytes < tiers[i].up_to_bytes)) {
      return fmt::format("tier {}: the borders do not ascend", i);
    }
  }
  return {};
}

std::string_view complaint_about(const ModelQuality& quality) {
  if (quality.samples < 0) return "the number of samples is negative";
  if (!std::isfinite(quality.r_squared) || quality.r_squared > 1)
    return "r_squared is not possible";
  return is_amount(quality.median_error) && is_amount(quality.p95_error)
             ? ""
             : "an error is negative or not finite";
}

std::string_view complaint_about(const Sample& sample) {
  if (!is_amount(sample.seconds) || sample.seconds == 0) return "its seconds are not positive";
  const auto& values = sample.features.values;
  return std::all_of(values.begin(), values.end(), is_amount) ? "" : "a quantity is negative";
}

}  // namespace

bool is_possible(const CalibrationLoad& load) {
  return load.processors >= 0 && is_amount(load.average) && is_amount(load.others_before) &&
         is_amount(load.others) && is_amount(load.steal) && is_amount(load.switches_per_second) &&
         is_amount(load.disturbed) && load.disturbed <= 1;
}

std::string complaint_about(const CostModel& model) {
  if (std::string complaint = complaint_about(model.tiers); !complaint.empty()) return complaint;
  if (const auto complaint = complaint_about(model.quality); !complaint.empty()) {
    return std::string(complaint);
  }
  for (std::size_t i = 0; i < model.samples.size(); ++i) {
    const std::string_view complaint = complaint_about(model.samples[i]);
    if (!complaint.empty()) return fmt::format("point {}: {}", i, complaint);
  }
  return {};
}

}  // namespace switchyard
