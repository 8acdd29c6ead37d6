// Models of operations whose samples give no fit: rough, wide, and never absent.
#pragma once

#include <optional>
#include <switchyard/models/cost_model.hpp>
#include <vector>

namespace switchyard {

/// Whether a model can be scaled by the sample: its time is positive, and that and its bytes
/// finite.
[[nodiscard]] bool is_usable(const Sample& sample) noexcept;

/// A model for `key` from few or inconsistent samples: a fitted sibling, which is the same
/// operation in the same state of another kernel variant or precision, or else the built-in model.
/// It is scaled to the fast ones of `samples`, by no more than a factor of 16. Its p95 error is 2
/// (a factor of 3) or more. Nothing where there is neither a sibling nor a usable sample.
[[nodiscard]] std::optional<CostModel> fallback_model(const ModelKey& key,
                                                      const std::vector<Sample>& samples,
                                                      const std::vector<CostModel>& fitted);

}  // namespace switchyard
