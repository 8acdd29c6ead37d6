// Limits from the floors of all tiers of all models of a space.
#include "bandwidth.hpp"

#include <algorithm>

namespace switchyard {

namespace {

bool counts(const CostModel& model, Space space) {
  const bool moves_a_matrix =
      model.key.operation == Operation::Multiply || model.key.operation == Operation::Convert;
  return moves_a_matrix && !model.built_in && model.key.from.space == space;
}

}  // namespace

std::vector<BandwidthLimit> bandwidth_limits(const Profile& profile, Space space) {
  std::vector<BandwidthLimit> floors;
  for (const CostModel& model : profile.models()) {
    if (!counts(model, space)) continue;
    for (const ModelTier& tier : model.tiers) {
      if (tier.floor_seconds_per_byte > 0) {
        floors.push_back({tier.up_to_bytes, tier.floor_seconds_per_byte});
      }
    }
  }
  std::ranges::sort(floors, {}, &BandwidthLimit::up_to_bytes);
  // Less data is moved at least as fast: the limit up to a border is the fastest of all beyond it.
  std::vector<BandwidthLimit> limits;
  for (auto floor = floors.rbegin(); floor != floors.rend(); ++floor) {
    if (!limits.empty() && floor->seconds_per_byte >= limits.back().seconds_per_byte) continue;
    const bool same_border = !limits.empty() && floor->up_to_bytes == limits.back().up_to_bytes;
    if (same_border) limits.pop_back();
    limits.push_back(*floor);
  }
  std::ranges::reverse(limits);
  return limits;
}

CostModel limited(CostModel model, const std::vector<BandwidthLimit>& limits) {
  if (limits.empty()) return model;
  const ModelTier whole = model.tiers.back();
  model.tiers.clear();
  double begin = 0;
  for (const BandwidthLimit& limit : limits) {
    ModelTier tier = whole;
    tier.lowest[Quantity::Bytes] = begin;
    tier.highest[Quantity::Bytes] = limit.up_to_bytes;
    tier.up_to_bytes = limit.up_to_bytes;
    tier.floor_seconds_per_byte = limit.seconds_per_byte;
    begin = limit.up_to_bytes;
    model.tiers.push_back(std::move(tier));
  }
  model.tiers.back().up_to_bytes = whole.up_to_bytes;
  model.tiers.back().highest = whole.highest;
  return model;
}

}  // namespace switchyard
