// Predicting over the grid, and putting the samples beside it.
#include "model_views.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "../models_report.hpp"
#include "../table.hpp"

namespace switchyard::command::report {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();  // written as null
constexpr double most_linear_elements = 5e7;  // what the dense samples of a calibration reach

Features features_of(const ModelKey& key, const Structure& structure) {
  return key.operation == Operation::Multiply
             ? multiply_features(key.from.format, structure, key.precision)
             : convert_features(key.from.format, key.to.format, structure, key.precision);
}

/// Which operations move the same bytes.
std::string bytes_key(const ModelKey& key) {
  std::string text(name(key.operation));
  if (key.operation == Operation::Multiply) text += " " + std::string(name(key.from.format));
  return text + " " + std::string(name(key.precision));
}

/// Densities by rows and columns, of the samples that know theirs.
class KnownDensities {
 public:
  explicit KnownDensities(const Profile& profile) {
    for (const CostModel& model : profile.models()) {
      for (const Sample& sample : model.samples) {
        const Features& features = sample.features;
        if (features[Quantity::Nonzeros] > 0) {
          known_[shape(features)] = features[Quantity::Nonzeros] / features[Quantity::Elements];
        }
      }
    }
  }
  [[nodiscard]] double of(const Features& features) const {
    const auto found = known_.find(shape(features));
    return found == known_.end() ? unknown : found->second;
  }

 private:
  using Shape = std::pair<double, double>;
  static Shape shape(const Features& features) {
    return {features[Quantity::Rows], features[Quantity::Cols]};
  }
  std::map<Shape, double> known_;
};

Json points_json(const CostModel& model, const KnownDensities& densities, std::size_t most) {
  Json points = Json::array();
  const std::size_t count = model.samples.size();
  const std::size_t step = count <= most ? 1 : count / std::max<std::size_t>(most, 1) + 2;
  for (std::size_t i = 0; i < count; i += step) {
    const auto& [features, seconds] = model.samples[i];
    const bool of_matrix = features[Quantity::Elements] > 0;
    points.push_back(
        brief(std::vector{of_matrix ? features[Quantity::Elements] : unknown,
                          of_matrix ? densities.of(features) : unknown, features[Quantity::Bytes],
                          seconds, model.predict(features).seconds}));
  }
  return points;
}

std::vector<std::string> tiers_of(const CostModel& model) {
  std::vector<std::string> tiers;
  for (const ModelTier& tier : model.tiers) {
    const std::string until =
        std::isfinite(tier.up_to_bytes) ? "up to " + format_bytes(tier.up_to_bytes) : "above";
    tiers.push_back((model.tiers.size() == 1 ? "" : until + ": ") + to_string(tier.polynomial));
  }
  return tiers;
}

/// Steps of each of the linear axes: fewer where there are many models.
int linear_steps_for(std::size_t models) {
  constexpr std::size_t most_numbers = 80'000;
  constexpr int usual = 13;
  constexpr int few = 9;
  return models * usual * usual <= most_numbers ? usual : few;
}

void add_surface(Json& json, const CostModel& model, const Grid& grid, int linear_steps) {
  std::vector<double> seconds;
  std::string beyond;
  for (const Index rows : grid.rows) {
    for (const double density : grid.densities) {
      const auto features =
          features_of(model.key, square_matrix(rows, density, model.key.precision));
      const Estimate estimate = model.predict(features);
      seconds.push_back(estimate.seconds);
      beyond += estimate.extrapolated ? '1' : '0';
    }
  }
  std::vector<double> linear;
  for (int i = 1; i <= linear_steps; ++i) {
    for (int j = 0; j < linear_steps; ++j) {
      const double elements = most_linear_elements * i / linear_steps;
      const double density = 1 - j / (linear_steps - 1.0);
      const auto rows = static_cast<Index>(std::llround(std::sqrt(elements)));
      const auto structure = square_matrix(rows, density, model.key.precision);
      linear.push_back(model.predict(features_of(model.key, structure)).seconds);
    }
  }
  json["bytes_of"] = bytes_key(model.key);
  json["seconds"] = brief(seconds);
  json["beyond"] = beyond;
  json["linear_seconds"] = brief(linear);
}

void add_line(Json& json, const CostModel& model) {
  const double low = std::max(model.tiers.front().lowest[Quantity::Bytes], 1.0);
  const double high = std::max(model.tiers.back().highest[Quantity::Bytes], low);
  constexpr int steps = 60;
  json["line"] = Json::array();
  for (int i = 0; i <= steps; ++i) {
    const double bytes = low * std::pow(high / low, i / double{steps});
    json["line"].push_back(
        brief(std::vector{bytes, model.predict(transfer_features(bytes)).seconds}));
  }
}

void add_bytes(Json& bytes, const ModelKey& key, const Grid& grid) {
  const std::string of = bytes_key(key);
  if (bytes.contains(of)) return;
  std::vector<double> values;
  for (const Index rows : grid.rows) {
    for (const double density : grid.densities) {
      values.push_back(
          features_of(key, square_matrix(rows, density, key.precision))[Quantity::Bytes]);
    }
  }
  bytes[of] = brief(values);
}

Json linear_axes(int linear_steps) {
  std::vector<double> elements;
  std::vector<double> zeros;
  for (int i = 1; i <= linear_steps; ++i) {
    elements.push_back(most_linear_elements * i / linear_steps);
    zeros.push_back((i - 1) / (linear_steps - 1.0));
  }
  return {{"elements", brief(elements)}, {"zeros", brief(zeros)}};
}

}  // namespace

Json model_views(const Profile& profile, const Grid& grid, std::size_t most_points) {
  const KnownDensities densities(profile);
  const std::size_t models = profile.models().size();
  const std::size_t most = most_points / std::max<std::size_t>(models, 1);
  const int linear_steps = linear_steps_for(models);
  Json views{
      {"linear", linear_axes(linear_steps)}, {"bytes", Json::object()}, {"models", Json::array()}};
  for (const CostModel& model : profile.models()) {
    if (model.built_in) continue;  // without samples there is nothing to compare it with
    Json json = model_json(model);
    json["of"] = subject(model.key);
    json["tiers"] = tiers_of(model);
    json["points"] = points_json(model, densities, most);
    const Operation operation = model.key.operation;
    if (operation == Operation::Multiply || operation == Operation::Convert) {
      add_surface(json, model, grid, linear_steps);
      add_bytes(views["bytes"], model.key, grid);
    } else if (operation == Operation::Transfer) {
      add_line(json, model);
    }
    views["models"].push_back(std::move(json));
  }
  return views;
}

}  // namespace switchyard::command::report
