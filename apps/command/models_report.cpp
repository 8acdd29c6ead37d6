// Writing what was learned, weak models marked.
#include "models_report.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

#include "table.hpp"

namespace switchyard::command {
namespace {

/// A transfer is of bytes, whatever they stand for.
std::string_view precision_name(const ModelKey& key) {
  return key.operation == Operation::Transfer ? "-" : name(key.precision);
}

enum class WeakPoint { None, Median, P95, Line };

WeakPoint weak_point(const CostModel& model) {
  constexpr double most_median_error = 0.10;
  constexpr double most_p95_error = 0.40;
  constexpr double least_transfer_fit = 0.99;
  const ModelQuality& quality = model.quality;
  // Negated, so that NaN is weak too.
  if (!(quality.median_error <= most_median_error)) return WeakPoint::Median;
  if (!(quality.p95_error <= most_p95_error)) return WeakPoint::P95;
  const bool is_transfer = model.key.operation == Operation::Transfer;
  if (is_transfer && !(quality.r_squared >= least_transfer_fit)) return WeakPoint::Line;
  return WeakPoint::None;
}

/// The column that is to blame.
std::string mark(WeakPoint point) {
  constexpr std::array marks{"", "median", "p95", "R²"};
  return marks[static_cast<std::size_t>(point)];
}

// What is far off need not be told exactly, and columns stay narrow.
std::string fit_text(double r_squared) {
  return r_squared >= -9 ? fmt::format("{:.4f}", r_squared) : "< -9";
}
std::string error_text(double error) { return error < 10 ? format_percent(error) : "> 999 %"; }

}  // namespace

std::string subject(const ModelKey& key) {
  switch (key.operation) {
    case Operation::Multiply:
      return name(key.from);
    case Operation::Convert:
      return name(key.from) + " -> " + std::string(name(key.to.format));
    case Operation::Transfer:
      return name(key.from.space) + " -> " + name(key.to.space);
    case Operation::Build:
      break;
  }
  return key.variant + "@" + name(key.from.space);
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
  json["remedy"] = weak.empty() ? Json(nullptr) : Json(remedy_for(model));
  return json;
}

std::string weakness(const CostModel& model) {
  switch (weak_point(model)) {
    case WeakPoint::None:
      return {};
    case WeakPoint::Median:
      return "median error above 10 %";
    case WeakPoint::P95:
      return "95th percentile above 40 %";
    case WeakPoint::Line:
      break;
  }
  return "R² below 0.99";
}

std::string remedy_for(const CostModel& model) {
  constexpr Index few_samples = 20;
  if (weak_point(model) == WeakPoint::None) return {};
  if (model.key.operation == Operation::Build) {
    return "how long a kernel takes to build varies here; it counts once in a program's run";
  }
  if (model.quality.samples < few_samples) {
    return "few sizes were measured; give more time with --budget, or with --thorough";
  }
  return model.key.operation == Operation::Transfer
             ? "stop what else moves data to or from the device, and calibrate again"
             : "stop what else runs on this machine and calibrate again, if need be with "
               "--thorough";
}

std::string weak_models_text(const std::vector<CostModel>& models) {
  std::map<std::string, int> by_remedy;
  for (const CostModel& model : models) {
    if (weak_point(model) != WeakPoint::None) ++by_remedy[remedy_for(model)];
  }
  if (by_remedy.empty()) return {};
  std::string text = "\nPlans may be off where weak models decide:\n";
  for (const auto& [remedy, count] : by_remedy) text += fmt::format("{:4} {}\n", count, remedy);
  return text;
}

std::string models_text(const CalibrationResult& result, const std::filesystem::path& file) {
  Table table({{"operation"},
               {"of"},
               {"type"},
               {"variant"},
               {"samples", Align::Right},
               {"R²", Align::Right},
               {"median", Align::Right},
               {"p95", Align::Right},
               {"weak"}});
  for (const CostModel& model : result.profile.models()) {
    table.add({std::string(name(model.key.operation)), subject(model.key),
               std::string(precision_name(model.key)),
               model.key.operation == Operation::Build ? "" : model.key.variant,
               std::to_string(model.quality.samples), fit_text(model.quality.r_squared),
               error_text(model.quality.median_error), error_text(model.quality.p95_error),
               mark(weak_point(model))});
  }
  std::string text = table.text();
  text += fmt::format(
      "\n{} models in {:.1f} s; median and p95 are errors on points held out of the fit\n"
      "profile  {}\n",
      result.profile.models().size(), result.profile.calibration_seconds, file.string());
  return text + weak_models_text(result.profile.models());
}

Json models_document(const CalibrationResult& result, const std::filesystem::path& file) {
  Json models = Json::array();
  for (const CostModel& model : result.profile.models()) models.push_back(model_json(model));
  return {{"seconds", result.profile.calibration_seconds},
          {"profile", file.string()},
          {"complete", result.complete},
          {"experiments", {{"done", result.done}, {"total", result.total}}},
          {"models", models}};
}

}  // namespace switchyard::command
