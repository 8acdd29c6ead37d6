// Gathering the samples of each model, and fitting them.
#include "learn.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <switchyard/containers/log.hpp>

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
  for (const auto& [key, sample] : samples) {
    auto& points = by_key[key];
    const auto same = std::ranges::find_if(points, [&](const Sample& point) {
      return point.features.values == sample.features.values;
    });
    if (same == points.end() || key.operation == Operation::Build) {
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

}  // namespace

std::vector<CostModel> models_of(const std::vector<KeyedSample>& samples,
                                 const std::vector<std::shared_ptr<Executor>>& executors) {
  std::vector<CostModel> models;
  for (const auto& [key, points] : samples_by_key(samples)) {
    const auto index =
        static_cast<std::size_t>(std::max(key.from.space.index(), key.to.space.index()));
    if (index >= executors.size()) continue;
    // A transfer runs at the speed of the host's caches as much as of the device's.
    const Executor& executor = *executors[key.operation == Operation::Transfer ? 0 : index];
    if (auto model = fit_cost_model(key, points, {.tier_bytes = tier_borders(executor)})) {
      models.push_back(std::move(*model));
    } else {
      log(LogLevel::Warning, "no model of " + words_of(key) + ": of " +
                                 std::to_string(points.size()) +
                                 " times measured too few are possible and agree");
    }
  }
  return models;
}

}  // namespace switchyard
