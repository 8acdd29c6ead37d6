// Gathering the samples of each model, and fitting them.
#include "learn.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/containers/robust_statistics.hpp>
#include <switchyard/containers/threads.hpp>
#include <switchyard/models/builtin.hpp>

#include "fallback.hpp"
#include "relative_model.hpp"

namespace switchyard {
namespace {

/// Where a polynomial may have to change: where threads begin to be used, and the cache sizes.
std::vector<double> tier_borders(const Executor& executor) {
  constexpr double threads_begin = 64 << 10;
  constexpr double level_two = 1 << 20;  // usual for one core; the fit drops what does not help
  std::vector<double> borders{threads_begin, level_two};
  if (executor.facts().cache_bytes > 0) {
    borders.push_back(static_cast<double>(executor.facts().cache_bytes));
  }
  return borders;
}

bool possible(double seconds) { return seconds > 0 && std::isfinite(seconds); }

/// The samples of one model.
struct Points {
  std::vector<Sample> undisturbed;
  std::vector<Sample> disturbed;
  [[nodiscard]] std::vector<Sample> all() const {
    std::vector<Sample> both = undisturbed;
    both.insert(both.end(), disturbed.begin(), disturbed.end());
    return both;
  }
};

/// Whether `one` says more about the operation than `other`.
bool is_better(const KeyedSample& one, const KeyedSample& other) {
  if (!possible(one.sample.seconds)) return false;
  if (!possible(other.sample.seconds)) return true;
  if (one.disturbed != other.disturbed) return other.disturbed;
  return one.sample.seconds < other.sample.seconds;
}

/// The best sample of each operation; builds do not depend on anything, and all of them count.
std::map<ModelKey, Points> points_by_key(const std::vector<KeyedSample>& samples) {
  std::map<ModelKey, std::vector<KeyedSample>> best;
  for (const KeyedSample& keyed : samples) {
    auto& points = best[keyed.key];
    const auto same = std::ranges::find_if(points, [&](const KeyedSample& point) {
      return point.sample.features.values == keyed.sample.features.values;
    });
    if (same == points.end() || keyed.key.operation == Operation::Build) {
      points.push_back(keyed);
    } else if (is_better(keyed, *same)) {
      *same = keyed;
    }
  }
  std::map<ModelKey, Points> by_key;
  for (const auto& [key, points] : best) {
    Points& split = by_key[key];
    for (const KeyedSample& point : points) {
      (point.disturbed ? split.disturbed : split.undisturbed).push_back(point.sample);
    }
  }
  return by_key;
}

double bytes_of(const Sample& sample) { return sample.features[Quantity::Bytes]; }

/// Widens the model's error by those of disturbed samples: the 95th percentile of all, where the
/// undisturbed ones have what they had. A disturbed time is too long, so that a model far below it
/// is not contradicted: only so much of each counts.
void widen(CostModel& model, const std::vector<Sample>& disturbed, std::size_t undisturbed) {
  constexpr double largest = 3;
  constexpr double tail = 0.05;
  std::vector<double> errors;
  for (const Sample& sample : disturbed) {
    const double predicted = model.predict(sample.features).seconds;
    errors.push_back(std::min(prediction_error(predicted, sample.seconds), largest));
  }
  const auto count = static_cast<double>(errors.size());
  const double share = count / (count + static_cast<double>(undisturbed));
  if (!(share > tail)) return;
  std::ranges::sort(errors);
  model.quality.p95_error =
      std::max(model.quality.p95_error, quantile_of_sorted(errors, 1 - tail / share));
}

/// Of a model that disturbed samples are part of, or that is another one, scaled.
constexpr double least_rough_error = 2;

/// Fitted to disturbed samples too, for want of others. They may agree and all be too long.
std::optional<CostModel> fitted_to_all(const ModelKey& key, const Points& points,
                                       const FitOptions& options) {
  auto model = fit_cost_model(key, points.all(), options);
  if (model) model->quality.p95_error = std::max(model->quality.p95_error, least_rough_error);
  return model;
}

/// Fitted to the undisturbed samples, and to as few others as are needed. Nothing where there are
/// too few.
std::optional<CostModel> fitted(const ModelKey& key, const Points& points,
                                const FitOptions& options) {
  if (points.disturbed.empty()) return fit_cost_model(key, points.undisturbed, options);
  if (usable_samples(points.undisturbed) < fewest_usable_samples) return std::nullopt;
  const double largest = bytes_of(*std::ranges::max_element(points.undisturbed, {}, &bytes_of));
  std::vector<Sample> used = points.undisturbed;
  std::vector<Sample> left;
  for (const Sample& sample : points.disturbed) {
    (bytes_of(sample) > largest ? used : left).push_back(sample);
  }
  auto model = fit_cost_model(key, used, options);
  if (!model) return std::nullopt;
  const auto too_high = std::stable_partition(left.begin(), left.end(), [&](const Sample& sample) {
    return !(possible(sample.seconds) && sample.seconds < model->predict(sample.features).seconds);
  });
  if (too_high != left.end()) {
    used.insert(used.end(), too_high, left.end());
    if (auto lower = fit_cost_model(key, used, options)) model = std::move(lower);
  }
  widen(*model, points.disturbed, points.undisturbed.size());
  return model;
}

/// What is learnt of one operation.
struct Task {
  ModelKey key;
  Points points;
  FitOptions options;
  double row_step_seconds = 0;  ///< see `relative_model`
  std::optional<CostModel> model = {};
};

double row_step_seconds(const ModelKey& key, const Executor& executor) {
  const bool walks = key.operation == Operation::Multiply && facts_of(key.from.format).walks_rows;
  return walks && executor.facts().is_gpu ? gpu_row_step_seconds : 0;
}

/// The products in CSR that compute the same request in the same space, of those that have a model.
std::vector<CsrProduct> csr_products(const ModelKey& key, const std::vector<Task>& tasks) {
  std::vector<CsrProduct> products;
  for (const Task& task : tasks) {
    const bool is_same = task.key.operation == Operation::Multiply &&
                         task.key.from == State{key.from.space, Format::Csr} &&
                         task.key.precision == key.precision && task.key.operand == key.operand &&
                         task.key.many_columns == key.many_columns;
    if (is_same && task.model) products.push_back({&*task.model, &task.points.undisturbed});
  }
  return products;
}

/// Models relative to CSR for the formats that have few samples, where these tell that they are no
/// worse than what was fitted to the samples alone. Two formats that are compared then err alike.
void compare_with_csr(std::vector<Task>& tasks) {
  std::vector<std::pair<Task*, CostModel>> relative;
  for (Task& task : tasks) {
    if (task.key.operation != Operation::Multiply || is_given(task.key.from.format)) continue;
    auto model = relative_model(task.key, task.points.undisturbed, csr_products(task.key, tasks),
                                task.row_step_seconds);
    if (!model || (task.model && is_less_accurate(*model, *task.model))) continue;
    widen(*model, task.points.disturbed, task.points.undisturbed.size());
    relative.emplace_back(&task, std::move(*model));
  }
  for (auto& [task, model] : relative) task->model = std::move(model);
}

/// A model where the undisturbed samples give none: a sibling, which other programs may have
/// disturbed less, before a fit to disturbed samples, and that before the built-in model. Kernel
/// programs are no siblings of each other.
std::optional<CostModel> rough_model(const Task& task, const std::vector<CostModel>& fitted,
                                     const std::vector<CsrProduct>& of_csr) {
  const ModelKey& key = task.key;
  const Points& points = task.points;
  // Where both were disturbed, the ratio may be right.
  if (auto model = relative_model(key, points.all(), of_csr, task.row_step_seconds)) {
    model->quality.p95_error = std::max(model->quality.p95_error, least_rough_error);
    return model;
  }
  const bool has_sibling = fallback_model(key, {}, fitted).has_value();
  if (!points.disturbed.empty() && (!has_sibling || key.operation == Operation::Build)) {
    if (auto model = fitted_to_all(key, points, task.options)) return model;
  }
  const bool any = !points.undisturbed.empty() || has_sibling;
  return fallback_model(key, any ? points.undisturbed : points.disturbed, fitted);
}

std::string reason_without_model(const Points& points) {
  const Index usable = usable_samples(points.undisturbed);
  if (!points.disturbed.empty()) {
    return "other programs disturbed " + std::to_string(points.disturbed.size()) + " of its " +
           std::to_string(points.all().size()) + " timings";
  }
  if (usable < fewest_usable_samples) {
    return "too few usable timings (" + std::to_string(usable) + " of " +
           std::to_string(fewest_usable_samples) + " needed)";
  }
  return "its " + std::to_string(usable) + " timings are too inconsistent";
}

}  // namespace

Learnt learn(const std::vector<KeyedSample>& samples,
             const std::vector<std::shared_ptr<Executor>>& executors) {
  std::vector<Task> tasks;
  for (auto& [key, points] : points_by_key(samples)) {
    const auto index =
        static_cast<std::size_t>(std::max(key.from.space.index(), key.to.space.index()));
    if (index >= executors.size()) continue;
    // A transfer runs at the speed of the host's caches as much as of the device's.
    const Executor& executor = *executors[key.operation == Operation::Transfer ? 0 : index];
    tasks.push_back(
        {key, points, {.tier_bytes = tier_borders(executor)}, row_step_seconds(key, executor)});
  }
  // Twenty formats take seconds to fit, and no two models depend on each other.
  std::atomic<bool> is_out_of_memory{false};
  share_out_steps(std::ssize(tasks), tasks.size() > 1, [&](Index step) {
    Task& task = tasks[static_cast<std::size_t>(step)];
    try {
      task.model = fitted(task.key, task.points, task.options);
    } catch (const std::exception&) {
      is_out_of_memory = true;  // a fit throws nothing else
    }
  });
  if (is_out_of_memory) throw_out_of_memory();
  compare_with_csr(tasks);
  Learnt learnt;
  double disturbed = 0;
  double all = 0;
  for (Task& task : tasks) {
    disturbed += static_cast<double>(task.points.disturbed.size());
    all += static_cast<double>(task.points.disturbed.size() + task.points.undisturbed.size());
    if (task.model) learnt.models.push_back(*task.model);
  }
  learnt.disturbed = all > 0 ? disturbed / all : 0;
  const std::vector<CostModel> siblings = learnt.models;
  for (const Task& task : tasks) {
    if (task.model) continue;
    const bool may_be_relative =
        task.key.operation == Operation::Multiply && !is_given(task.key.from.format);
    auto rough =
        rough_model(task, siblings,
                    may_be_relative ? csr_products(task.key, tasks) : std::vector<CsrProduct>{});
    const bool is_enough = rough && task.key.operation == Operation::Build;  // one constant
    if (rough) learnt.models.push_back(std::move(*rough));
    if (is_enough) continue;
    learnt.unfitted.push_back({task.key, reason_without_model(task.points)});
  }
  return learnt;
}

std::set<ModelKey> unexplained(const std::vector<KeyedSample>& samples, const Profile& models) {
  constexpr double well_explained = 0.2;
  std::set<ModelKey> keys;
  for (const auto& [key, sample, disturbed] : samples) {
    const CostModel* const model = models.find(key);
    const double error =
        model ? prediction_error(model->predict(sample.features).seconds, sample.seconds) : 1;
    if (disturbed || !(error <= well_explained)) keys.insert(key);
  }
  return keys;
}

}  // namespace switchyard
