// From the samples of a calibration to its models.
#pragma once

#include <memory>
#include <switchyard/backends/executor.hpp>
#include <switchyard/models/cost_model.hpp>
#include <vector>

#include "measure.hpp"

namespace switchyard {

/// A model for each key that the samples are of, fitted to them. What was measured in several
/// passes counts once, with its shortest time, and not at all with a time that no clock gives (0,
/// negative, NaN). A key of a space that is not among `executors` (by `Space::index()`) gives none,
/// nor does one whose samples make no sense: that is a warning in the log.
[[nodiscard]] std::vector<CostModel> models_of(
    const std::vector<KeyedSample>& samples,
    const std::vector<std::shared_ptr<Executor>>& executors);

}  // namespace switchyard
