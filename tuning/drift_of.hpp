// Comparing samples with a profile.
#pragma once

#include <switchyard/tuning/drift.hpp>
#include <vector>

#include "measure.hpp"

namespace switchyard {

/// One entry for each operation and space of the samples. What no model knows, what lies outside
/// the model's domain and what no clock gives is left out.
[[nodiscard]] std::vector<Drift> drift_of(const std::vector<KeyedSample>& samples,
                                          const Profile& profile);

}  // namespace switchyard
