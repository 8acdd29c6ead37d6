// Asks a model: which tier, how far outside its domain, how many seconds.
#include <algorithm>
#include <array>
#include <limits>
#include <switchyard/models/cost_model.hpp>

#include "infinity.hpp"

namespace switchyard {

namespace {

constexpr auto bytes_index = static_cast<std::size_t>(Quantity::Bytes);

/// Infinity and NaN less themselves are NaN. Without early exits, so that several are compared at
/// once.
bool all_finite(const Features& features) noexcept {
  unsigned others = 0;
  for (const double value : features.values) others |= value - value == 0.0 ? 0U : 1U;
  return others == 0;
}

/// The value of a tier, or of several.
struct Value {
  double seconds = 0;
  bool moved = false;  ///< in a quantity other than the bytes that a term uses
};

/// What is asked of a model: a part of the rows of a matrix that is too large for it, or all.
struct Asked {
  const Features& features;  ///< of the matrix
  double share = 1;          ///< of its rows
};

/// By quantity: whether half of the rows of a matrix have half of it.
constexpr auto grows_with_rows = [] {
  std::array<bool, quantity_count> grows{};
  for (const Quantity quantity :
       {Quantity::Bytes, Quantity::Rows, Quantity::Elements, Quantity::Nonzeros, Quantity::Gathered,
        Quantity::Spread, Quantity::Stored, Quantity::Changes}) {
    grows[static_cast<std::size_t>(quantity)] = true;
  }
  return grows;
}();

/// The polynomial at the point of the tier's domain that is nearest to what was asked. Only the
/// quantities that a term contains are moved there: most terms contain one or two of ten. A term
/// of two that grow with the rows has its share of one: else what more bytes take might be less.
Value polynomial_at_nearest(const ModelTier& tier, const Asked& asked) noexcept {
  Value value;
  for (const Term& term : tier.polynomial.terms) {
    double monomial = 1;
    double share = asked.share;
    for (std::size_t q = 0; q < quantity_count; ++q) {
      for (int exponent = term.exponents[q]; exponent > 0; --exponent) {
        const double here = asked.features.values[q] * (grows_with_rows[q] ? share : 1);
        if (grows_with_rows[q]) share = 1;
        const double nearest =
            std::min(std::max(here, tier.lowest.values[q]), tier.highest.values[q]);
        value.moved |= q != bytes_index && nearest != here;
        monomial *= nearest;
      }
    }
    value.seconds += term.coefficient * monomial;
  }
  return value;
}

double bytes_of(const Asked& asked) noexcept {
  return asked.features[Quantity::Bytes] * asked.share;
}

/// A tier's value at the point of its domain that is nearest to what was asked. Its ceiling does
/// not apply where it is the last.
Value at_nearest(const ModelTier& tier, const Asked& asked, bool is_last) noexcept {
  Value value = polynomial_at_nearest(tier, asked);
  // A product that overflows is infinite; zero times that is NaN, and the "or" sends it there too.
  if (!(value.seconds <= std::numeric_limits<double>::max())) value.seconds = infinity;
  if (!is_last) value.seconds = std::min(value.seconds, tier.ceiling_seconds);
  const double above = std::max(bytes_of(asked), tier.lowest[Quantity::Bytes]);
  const double bytes = std::min(above, tier.highest[Quantity::Bytes]);
  value.seconds =
      std::max({value.seconds, tier.floor_seconds, bytes * tier.floor_seconds_per_byte});
  return value;
}

/// What no value of a tier exceeds that is not the last.
double most_in(const ModelTier& tier) noexcept {
  return std::max({tier.ceiling_seconds, tier.floor_seconds,
                   tier.highest[Quantity::Bytes] * tier.floor_seconds_per_byte});
}

/// The largest value of the tiers up to `tier`; where a quantity was moved, says that tier alone.
Value up_to(const std::vector<ModelTier>& tiers, std::size_t tier, const Asked& asked) noexcept {
  Value value = at_nearest(tiers[tier], asked, tier + 1 == tiers.size());
  for (std::size_t below = 0; below < tier; ++below) {
    if (most_in(tiers[below]) <= value.seconds) continue;
    value.seconds = std::max(value.seconds, at_nearest(tiers[below], asked, false).seconds);
  }
  return value;
}

/// Where no sample says on which side of the border the bytes are, a straight line between the tier
/// and the next: the border itself was only chosen among a few candidates.
Value between(const std::vector<ModelTier>& tiers, std::size_t lower, const Asked& asked) noexcept {
  const Value left = up_to(tiers, lower, asked);
  const Value right = up_to(tiers, lower + 1, asked);
  const double begin = tiers[lower].highest[Quantity::Bytes];
  const double length = tiers[lower + 1].lowest[Quantity::Bytes] - begin;
  const double share = length > 0 ? (bytes_of(asked) - begin) / length : 1.0;
  const double along = std::clamp(share, 0.0, 1.0);
  // Not (1 - along) * left + along * right, which rounding can make fall.
  return {left.seconds + along * (right.seconds - left.seconds), left.moved || right.moved};
}

std::size_t tier_of(const std::vector<ModelTier>& tiers, double bytes) noexcept {
  std::size_t i = 0;
  while (i + 1 < tiers.size() && bytes > tiers[i].up_to_bytes) ++i;
  return i;
}

/// What a byte takes at least: the fastest bandwidth of the tier and of all above, since less data
/// is not moved more slowly.
double least_seconds_per_byte(const std::vector<ModelTier>& tiers, std::size_t tier) noexcept {
  double least = tiers[tier].floor_seconds_per_byte;
  for (std::size_t above = tier + 1; above < tiers.size(); ++above) {
    least = std::min(least, tiers[above].floor_seconds_per_byte);
  }
  return least;
}

Value evaluate(const std::vector<ModelTier>& tiers, const Asked& asked) noexcept {
  const double bytes = bytes_of(asked);
  const std::size_t i = tier_of(tiers, bytes);
  if (bytes > tiers[i].highest[Quantity::Bytes] && i + 1 < tiers.size()) {
    return between(tiers, i, asked);
  }
  if (bytes < tiers[i].lowest[Quantity::Bytes] && i > 0) return between(tiers, i - 1, asked);
  return up_to(tiers, i, asked);
}

}  // namespace

std::string_view name(Operation operation) noexcept {
  constexpr std::array<std::string_view, 4> names{"multiply", "convert", "transfer", "build"};
  return names[static_cast<std::size_t>(operation)];
}

ModelKey multiply_key(State state, const Request& request, Precision precision,
                      std::string_view variant) {
  return {Operation::Multiply, state, state, precision, std::string(variant), request.operand,
          request.columns > 1};
}

ModelKey multiply_key(State state, Precision precision, std::string_view variant) {
  return multiply_key(state, Request{}, precision, variant);
}

ModelKey convert_key(Format from, Format to, Space space, Precision precision) {
  return {Operation::Convert, State{space, from}, State{space, to}, precision, {}, {}, false};
}

ModelKey transfer_key(Space from, Space to, std::string_view variant) {
  return {Operation::Transfer,
          State{from, Format{}},
          State{to, Format{}},
          Precision{},
          std::string(variant),
          {},
          false};
}

ModelKey build_key(Space space, Precision precision, std::string_view program) {
  const State state{space, Format{}};
  return {Operation::Build, state, state, precision, std::string(program), {}, false};
}

double prediction_error(double predicted, double measured) noexcept {
  if (!(predicted > 0) || !(measured > 0)) return infinity;
  const double error = std::max(predicted / measured, measured / predicted) - 1;
  return error >= 0 ? error : infinity;
}

CostModel scaled(const CostModel& model, double times) {
  CostModel copy{.key = model.key,
                 .tiers = model.tiers,
                 .quality = model.quality,
                 .samples = {},
                 .built_in = model.built_in};
  for (ModelTier& tier : copy.tiers) {
    tier.floor_seconds *= times;
    tier.floor_seconds_per_byte *= times;
    tier.ceiling_seconds *= times;
    for (Term& term : tier.polynomial.terms) term.coefficient *= times;
  }
  return copy;
}

Estimate CostModel::predict(const Features& features) const noexcept {
  if (tiers.empty() || !all_finite(features)) return {infinity, quality.p95_error, true, built_in};
  const double bytes = features[Quantity::Bytes];
  const double lowest = tiers.front().lowest[Quantity::Bytes];
  const double highest = tiers.back().highest[Quantity::Bytes];
  const double share = bytes > highest && highest > 0 ? highest / bytes : 1;
  const Value value = evaluate(tiers, {features, share});
  Estimate estimate{value.seconds / share, quality.p95_error,
                    value.moved || bytes < lowest || bytes > highest, built_in};
  const double of_bytes = bytes * least_seconds_per_byte(tiers, tier_of(tiers, bytes));
  if (of_bytes > estimate.seconds) estimate.seconds = of_bytes;
  if (!(estimate.seconds >= 0)) estimate.seconds = infinity;
  return estimate;
}

}  // namespace switchyard
