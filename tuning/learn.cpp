// Gathering the samples of each model, and fitting them.
#include "learn.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <switchyard/containers/log.hpp>
#include <switchyard/containers/out_of_memory.hpp>

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

/// The samples of each model; builds do not depend on anything, and all of them count.
std::map<ModelKey, std::vector<Sample>> samples_by_key(const std::vector<KeyedSample>& samples) {
  std::map<ModelKey, std::vector<Sample>> by_key;
  for (const KeyedSample& keyed : samples) {
    const Sample& sample = keyed.sample;
    auto& points = by_key[keyed.key];
    const auto same = std::ranges::find_if(points, [&](const Sample& point) {
      return point.features.values == sample.features.values;
    });
    if (same == points.end() || keyed.key.operation == Operation::Build) {
      points.push_back(sample);
    } else if (possible(sample.seconds) &&
               (!possible(same->seconds) || sample.seconds < same->seconds)) {
      same->seconds = sample.seconds;
    }
  }
  return by_key;
}

std::string words_of(const ModelKey& key) {
  std::string words = std::string(name(key.operation)) + " " + name(key.from);
  if (key.to != key.from) words += " -> " + name(key.to);
  words += " " + std::string(name(key.precision));
  return key.variant.empty() ? words : words + " [" + key.variant + "]";
}

std::string reason_without_model(const std::vector<Sample>& points) {
  const Index usable = usable_samples(points);
  if (usable < fewest_usable_samples) {
    return "too few usable timings (" + std::to_string(usable) + " of " +
           std::to_string(fewest_usable_samples) + " needed)";
  }
  return "its " + std::to_string(usable) + " timings are too inconsistent";
}

}  // namespace

Learnt learn(const std::vector<KeyedSample>& samples,
             const std::vector<std::shared_ptr<Executor>>& executors) {
  struct Task {
    ModelKey key;
    std::vector<Sample> points;
    FitOptions options;
    std::optional<CostModel> model = {};
  };
  std::vector<Task> tasks;
  for (auto& [key, points] : samples_by_key(samples)) {
    const auto index =
        static_cast<std::size_t>(std::max(key.from.space.index(), key.to.space.index()));
    if (index >= executors.size()) continue;
    // A transfer runs at the speed of the host's caches as much as of the device's.
    const Executor& executor = *executors[key.operation == Operation::Transfer ? 0 : index];
    tasks.push_back({key, points, {.tier_bytes = tier_borders(executor)}});
  }
  // Twenty formats take seconds to fit, and no two models depend on each other.
  bool is_out_of_memory = false;
#pragma omp parallel for schedule(dynamic) reduction(|| : is_out_of_memory)
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    try {
      tasks[i].model = fit_cost_model(tasks[i].key, tasks[i].points, tasks[i].options);
    } catch (const std::exception&) {
      is_out_of_memory = true;  // a fit throws nothing else
    }
  }
  if (is_out_of_memory) throw_out_of_memory();
  Learnt learnt;
  for (Task& task : tasks) {
    if (task.model) {
      learnt.models.push_back(std::move(*task.model));
      continue;
    }
    learnt.unfitted.push_back({task.key, reason_without_model(task.points)});
    log(LogLevel::Warning,
        "could not fit " + words_of(task.key) + ": " + learnt.unfitted.back().reason);
  }
  return learnt;
}

std::set<ModelKey> unexplained(const std::vector<KeyedSample>& samples, const Profile& models) {
  constexpr double well_explained = 0.2;
  std::set<ModelKey> keys;
  for (const auto& [key, sample] : samples) {
    const CostModel* const model = models.find(key);
    const double error =
        model ? prediction_error(model->predict(sample.features).seconds, sample.seconds) : 1;
    if (!(error <= well_explained)) keys.insert(key);
  }
  return keys;
}

}  // namespace switchyard
