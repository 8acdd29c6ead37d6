// Asking a profile what operations cost.
#pragma once

#include <optional>
#include <switchyard/models/profile.hpp>

namespace switchyard {

/// The prediction of the profile's model of `key`; nothing where it has none, or one that gives no
/// cost.
[[nodiscard]] std::optional<Estimate> predict(const Profile& profile, const ModelKey& key,
                                              const Features& features);

/// The prediction of that model; nothing where it is null or gives no cost.
[[nodiscard]] std::optional<Estimate> predict(const CostModel* model, const Features& features);

/// What it takes to bring bytes from one space to another, into memory that is there already; 0
/// where the profile does not know.
[[nodiscard]] double travel_seconds(const Profile& profile, Space from, Space to, double bytes);

}  // namespace switchyard
