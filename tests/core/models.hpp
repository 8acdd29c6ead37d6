// Models whose predictions a test can compute in its head.
#pragma once

#include <limits>
#include <switchyard/models/cost_model.hpp>

namespace switchyard::testing {

/// A model that costs `fixed` seconds and so much per stored byte.
inline CostModel linear_model(ModelKey key, double fixed, double per_byte) {
  CostModel model;
  model.key = std::move(key);
  ModelTier tier;
  tier.up_to_bytes = std::numeric_limits<double>::infinity();
  tier.polynomial.terms = {Term::of({}, fixed), Term::of({Quantity::Bytes}, per_byte)};
  tier.highest.values.fill(1e15);
  model.tiers = {tier};
  model.quality = {.samples = 10, .r_squared = 1};
  return model;
}

}  // namespace switchyard::testing
