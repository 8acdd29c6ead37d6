// Asks a model: which tier, how far outside its domain, how many seconds.
#include <algorithm>
#include <array>
#include <limits>
#include <switchyard/models/cost_model.hpp>

namespace switchyard {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr auto bytes_index = static_cast<std::size_t>(Quantity::Bytes);

/// Infinity and NaN times zero are NaN, everything else is zero: one addition for each quantity.
bool all_finite(const Features& features) noexcept {
  double zero = 0;
  for (const double value : features.values) zero += value * 0.0;
  return zero == 0.0;
}

/// A tier's value at the point of its domain that is nearest to what was asked.
struct Nearest {
  double seconds = 0;
  bool moved = false;  ///< in a quantity other than the bytes that a term uses
};

bool uses_any(const Polynomial& polynomial,
              const std::array<bool, quantity_count>& quantities) noexcept {
  for (const Term& term : polynomial.terms) {
    for (std::size_t q = 0; q < quantity_count; ++q) {
      if (quantities[q] && term.exponents[q] > 0) return true;
    }
  }
  return false;
}

Nearest at_nearest(const ModelTier& tier, const Features& features) noexcept {
  Features point;
  std::array<bool, quantity_count> moved{};
  bool any_moved = false;
  for (std::size_t q = 0; q < quantity_count; ++q) {
    const double above = std::max(features.values[q], tier.lowest.values[q]);
    point.values[q] = std::min(above, tier.highest.values[q]);
    moved[q] = q != bytes_index && point.values[q] != features.values[q];
    any_moved |= moved[q];
  }
  Nearest nearest{tier.polynomial(point)};
  // A product that overflows is infinite; zero times that is NaN, and the "or" sends it there too.
  if (!(nearest.seconds <= std::numeric_limits<double>::max())) nearest.seconds = infinity;
  const double of_bytes = point[Quantity::Bytes] * tier.floor_seconds_per_byte;
  nearest.seconds = std::max({nearest.seconds, tier.floor_seconds, of_bytes});
  if (any_moved) nearest.moved = uses_any(tier.polynomial, moved);
  return nearest;
}

/// Where no sample says on which side of the border the bytes are, a straight line between the two
/// tiers: the border itself was only chosen among a few candidates.
Nearest between(const ModelTier& lower, const ModelTier& upper, const Features& features) noexcept {
  const Nearest left = at_nearest(lower, features);
  const Nearest right = at_nearest(upper, features);
  const double begin = lower.highest[Quantity::Bytes];
  const double length = upper.lowest[Quantity::Bytes] - begin;
  const double share = length > 0 ? (features[Quantity::Bytes] - begin) / length : 1.0;
  const double along = std::clamp(share, 0.0, 1.0);
  return {(1 - along) * left.seconds + along * right.seconds, left.moved || right.moved};
}

Nearest evaluate(const std::vector<ModelTier>& tiers, const Features& features) noexcept {
  const double bytes = features[Quantity::Bytes];
  std::size_t i = 0;
  while (i + 1 < tiers.size() && bytes > tiers[i].up_to_bytes) ++i;
  const ModelTier& tier = tiers[i];
  if (bytes > tier.highest[Quantity::Bytes] && i + 1 < tiers.size()) {
    return between(tier, tiers[i + 1], features);
  }
  if (bytes < tier.lowest[Quantity::Bytes] && i > 0) return between(tiers[i - 1], tier, features);
  return at_nearest(tier, features);
}

}  // namespace

std::string_view name(Operation operation) noexcept {
  constexpr std::array<std::string_view, 4> names{"multiply", "convert", "transfer", "build"};
  return names[static_cast<std::size_t>(operation)];
}

ModelKey multiply_key(State state, Precision precision, std::string_view variant) {
  return {Operation::Multiply, state, state, precision, std::string(variant)};
}

ModelKey convert_key(Format from, Format to, Space space, Precision precision) {
  return {Operation::Convert, State{space, from}, State{space, to}, precision, {}};
}

ModelKey transfer_key(Space from, Space to, std::string_view variant) {
  return {Operation::Transfer, State{from, Format{}}, State{to, Format{}}, Precision{},
          std::string(variant)};
}

ModelKey build_key(Space space, Precision precision, std::string_view program) {
  const State state{space, Format{}};
  return {Operation::Build, state, state, precision, std::string(program)};
}

Estimate CostModel::predict(const Features& features) const noexcept {
  if (tiers.empty() || !all_finite(features)) return {infinity, quality.p95_error, true, built_in};
  const double bytes = features[Quantity::Bytes];
  const double lowest = tiers.front().lowest[Quantity::Bytes];
  const double highest = tiers.back().highest[Quantity::Bytes];
  const Nearest nearest = evaluate(tiers, features);
  Estimate estimate{nearest.seconds, quality.p95_error,
                    nearest.moved || bytes < lowest || bytes > highest, built_in};
  if (bytes > highest && highest > 0) estimate.seconds *= bytes / highest;
  if (!(estimate.seconds >= 0)) estimate.seconds = infinity;
  return estimate;
}

}  // namespace switchyard
