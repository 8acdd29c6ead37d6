// Writing what was learned, weak models marked.
#include "models_report.hpp"

#include <fmt/format.h>

#include "table.hpp"

namespace switchyard::command {
namespace {

/// A transfer is of bytes, whatever they stand for.
std::string_view precision_name(const ModelKey& key) {
  return key.operation == Operation::Transfer ? "-" : name(key.precision);
}

}  // namespace

std::string subject(const ModelKey& key) {
  switch (key.operation) {
    case Operation::Multiply:
      return name(key.from);
    case Operation::Convert:
      return name(key.from) + " -> " + name(key.to);
    case Operation::Transfer:
      return name(key.from.space) + " -> " + name(key.to.space);
    case Operation::Build:
      break;
  }
  return name(key.from.space);
}

Json model_json(const CostModel& model) {
  const ModelKey& key = model.key;
  const bool of_spaces = key.operation == Operation::Transfer || key.operation == Operation::Build;
  Json json;
  json["operation"] = name(key.operation);
  if (key.operation == Operation::Multiply) {
    json["state"] = name(key.from);
  } else {
    json["from"] = of_spaces ? name(key.from.space) : name(key.from);
    json["to"] = of_spaces ? name(key.to.space) : name(key.to);
  }
  const bool any_precision = key.operation == Operation::Transfer;
  json["precision"] = any_precision ? Json(nullptr) : Json(name(key.precision));
  json["variant"] = key.variant;
  json["samples"] = model.quality.samples;
  json["r_squared"] = model.quality.r_squared;
  json["median_error"] = model.quality.median_error;
  json["p95_error"] = model.quality.p95_error;
  const std::string weak = weakness(model);
  json["weakness"] = weak.empty() ? Json(nullptr) : Json(weak);
  return json;
}

std::string weakness(const CostModel& model) {
  constexpr double most_median_error = 0.10;
  constexpr double most_p95_error = 0.40;
  constexpr double least_transfer_fit = 0.99;
  const ModelQuality& quality = model.quality;
  // Negated, so that NaN is weak too.
  if (!(quality.median_error <= most_median_error)) return "median error above 10 %";
  if (!(quality.p95_error <= most_p95_error)) return "95th percentile above 40 %";
  const bool is_transfer = model.key.operation == Operation::Transfer;
  if (is_transfer && !(quality.r_squared >= least_transfer_fit)) return "R² below 0.99";
  return {};
}

std::string models_text(const CalibrationResult& result, const std::filesystem::path& file) {
  Table table({{"operation"},
               {"of"},
               {"precision"},
               {"variant"},
               {"samples", Align::Right},
               {"R²", Align::Right},
               {"median", Align::Right},
               {"p95", Align::Right},
               {""}});
  int weak_models = 0;
  for (const CostModel& model : result.profile.models()) {
    const std::string weak = weakness(model);
    if (!weak.empty()) ++weak_models;
    table.add({std::string(name(model.key.operation)), subject(model.key),
               std::string(precision_name(model.key)), model.key.variant,
               std::to_string(model.quality.samples),
               fmt::format("{:.4f}", model.quality.r_squared),
               format_percent(model.quality.median_error), format_percent(model.quality.p95_error),
               weak.empty() ? "" : "weak: " + weak});
  }
  std::string text = table.text();
  text += fmt::format(
      "\n{} models in {:.1f} s, errors on points held out of the fit\nprofile  {}\n",
      result.profile.models().size(), result.profile.calibration_seconds, file.string());
  if (weak_models > 0) {
    text += fmt::format(
        "{} weak: plans may be off where these decide. Stop what else runs on this machine and\n"
        "calibrate again, with --thorough if that is not enough.\n",
        weak_models);
  }
  return text;
}

Json models_document(const CalibrationResult& result, const std::filesystem::path& file) {
  Json models = Json::array();
  for (const CostModel& model : result.profile.models()) models.push_back(model_json(model));
  return {{"seconds", result.profile.calibration_seconds},
          {"profile", file.string()},
          {"complete", result.complete},
          {"models", models}};
}

}  // namespace switchyard::command
