// The fastest bandwidth that was measured in a space.
#pragma once

#include <switchyard/models/profile.hpp>
#include <vector>

namespace switchyard {

/// What moving a byte takes at least while no more than `up_to_bytes` are touched.
struct BandwidthLimit {
  double up_to_bytes = 0;  ///< infinite for the last
  double seconds_per_byte = 0;
};

/// From the calibrated multiplies and conversions of `profile` in `space`, ascending in both
/// members: as far as a cache reaches, its bandwidth. Empty where none was measured.
[[nodiscard]] std::vector<BandwidthLimit> bandwidth_limits(const Profile& profile, Space space);

/// `model` with no prediction below its bytes at those limits. REQUIRES: a model of one tier
/// without a border, as built-in ones are.
[[nodiscard]] CostModel limited(CostModel model, const std::vector<BandwidthLimit>& limits);

}  // namespace switchyard
