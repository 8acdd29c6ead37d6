// A few small experiments of the calibration's own kind, and the medians of what they say.
#include <algorithm>
#include <cmath>
#include <map>
#include <switchyard/containers/robust_statistics.hpp>
#include <tuple>

#include "drift_of.hpp"
#include "experiments.hpp"

namespace switchyard {
namespace {

/// Matrices in the cache and beyond it, dense and sparse, each a matter of a tenth of a second.
std::vector<MatrixExperiment> matrices() {
  return {{.matrix = {.kind = MatrixKind::Uniform, .rows = 400, .density = 0.3}, .dense = true},
          {.matrix = {.kind = MatrixKind::Poisson2d, .rows = 10'000}, .dense = false},
          {.matrix = {.kind = MatrixKind::Uniform, .rows = 1200, .density = 0.05}, .dense = true},
          {.matrix = {.kind = MatrixKind::PowerLaw, .rows = 50'000}, .dense = false}};
}

}  // namespace

bool Drift::drifted() const noexcept {
  const double limit = std::max(promised, 2.0);
  return !(factor <= limit && factor >= 1 / limit);
}

std::vector<Drift> drift_of(const std::vector<KeyedSample>& samples, const Profile& profile) {
  struct Ratios {
    std::vector<double> factors;
    std::vector<double> promises;
  };
  struct Group {
    Ratios undisturbed;
    Ratios others;
  };
  const auto enough = [](const std::vector<double>& factors) { return factors.size() >= 3; };
  const auto joined = [](Ratios one, const Ratios& other) {
    one.factors.insert(one.factors.end(), other.factors.begin(), other.factors.end());
    one.promises.insert(one.promises.end(), other.promises.begin(), other.promises.end());
    return one;
  };
  std::map<std::tuple<Operation, Space, Space>, Group> groups;
  for (const auto& [key, sample, disturbed] : samples) {
    const CostModel* const model = profile.find(key);
    if (!model || model->built_in || !(sample.seconds > 0) || !std::isfinite(sample.seconds))
      continue;
    const Estimate estimate = model->predict(sample.features);
    if (estimate.extrapolated || !(estimate.seconds > 0)) continue;
    auto& [undisturbed, others] = groups[{key.operation, key.from.space, key.to.space}];
    Ratios& ratios = disturbed ? others : undisturbed;
    ratios.factors.push_back(sample.seconds / estimate.seconds);
    ratios.promises.push_back(1 + estimate.relative_error);
  }
  std::vector<Drift> drifts;
  for (const auto& [group, both] : groups) {
    const auto& [undisturbed, others] = both;
    const Ratios ratios = enough(undisturbed.factors) ? undisturbed : joined(undisturbed, others);
    drifts.push_back({std::get<0>(group), std::get<1>(group), std::get<2>(group),
                      static_cast<Index>(ratios.factors.size()), median(ratios.factors),
                      median(ratios.promises)});
  }
  return drifts;
}

std::vector<Drift> measure_drift(const std::vector<std::shared_ptr<Executor>>& executors,
                                 const Profile& profile, const DriftOptions& options) {
  Bench bench{.executors = executors, .patience = patience_for(Effort::Quick)};
  if (options.clock) bench.instruments = {.clock = options.clock};
  const Clock& clock = bench.instruments.clock;
  const double start = clock();
  const auto time_is_up = [&] { return !(clock() - start < options.seconds); };
  std::vector<KeyedSample> samples;
  const auto add = [&](const std::vector<KeyedSample>& more) {
    samples.insert(samples.end(), more.begin(), more.end());
  };
  for (const auto& executor : executors) {
    if (executor->space().is_host()) continue;
    for (const Index bytes : {Index{1} << 14, Index{1} << 20, Index{1} << 22}) {
      if (!time_is_up()) add(measure_transfers(bench, *executor, bytes));
    }
  }
  for (const MatrixExperiment& matrix : matrices()) {
    if (!time_is_up()) add(measure_matrix<float>(bench, matrix));
    if (!time_is_up()) add(measure_matrix<double>(bench, matrix));
  }
  return drift_of(samples, profile);
}

}  // namespace switchyard
