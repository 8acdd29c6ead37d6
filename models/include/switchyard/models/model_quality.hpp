// How well a model explains its samples.
#pragma once

#include <switchyard/models/cost_model.hpp>

namespace switchyard {

/// 1 - residual / total sum of squares, over `model.samples`, in seconds. Where all of them took
/// equally long there is nothing to explain: 1 if the model says so too, 0 otherwise. REQUIRES: at
/// least one sample.
[[nodiscard]] double r_squared(const CostModel& model);

}  // namespace switchyard
