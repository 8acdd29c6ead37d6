// From the samples of a calibration to its models.
#pragma once

#include <memory>
#include <set>
#include <switchyard/backends/executor.hpp>
#include <switchyard/models/profile.hpp>
#include <switchyard/tuning/calibrate.hpp>
#include <vector>

#include "measure.hpp"

namespace switchyard {

/// The models of a calibration, and what was measured in vain.
struct Learnt {
  std::vector<CostModel> models;
  std::vector<UnfittedModel> unfitted;
  double disturbed = 0;  ///< the share of operations that were disturbed whenever measured
};

/// A model for each key that the samples are of, fitted to them. What was measured in several
/// passes counts once, with its shortest undisturbed time, or its shortest if all are disturbed,
/// and not at all with a time that no clock gives (0, negative, NaN). A key of a space that is not
/// among `executors` (by `Space::index()`) is left out. One that cannot be fitted gets a fallback
/// where there is one, and is reported, unless it is a build, whose one constant a timing gives.
///
/// A model is fitted to undisturbed samples. Disturbed ones join them only beyond the largest
/// undisturbed one, and where the model predicts more than they took. They widen its p95 error if
/// they are more than one in twenty.
[[nodiscard]] Learnt learn(const std::vector<KeyedSample>& samples,
                           const std::vector<std::shared_ptr<Executor>>& executors);

/// The keys of those samples that were disturbed, that their model in `models` misses by more than
/// a fifth, or that have none: those that a second measurement may change.
[[nodiscard]] std::set<ModelKey> unexplained(const std::vector<KeyedSample>& samples,
                                             const Profile& models);

}  // namespace switchyard
