// Writing what was learned, weak models marked.
#include "models_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "machine.hpp"
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

/// The column that exceeds its limit.
std::string mark(WeakPoint point) {
  constexpr std::array marks{"", "median", "p95", "R²"};
  return marks[static_cast<std::size_t>(point)];
}

// Large errors need no digits, and columns stay narrow.
std::string fit_text(double r_squared) {
  return r_squared >= -9 ? fmt::format("{:.3f}", r_squared) : "< -9";
}
std::string error_text(double error) { return error < 10 ? format_percent(error) : "> 999 %"; }

/// The value in the middle; 0 of none.
double middle(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto at = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, at);
  return *at;
}

/// A line for each operation. Kernel builds, of which each model is a constant, have none.
std::string summary_table(const std::vector<CostModel>& models) {
  Table table({{"operation"},
               {"models", Align::Right},
               {"samples", Align::Right},
               {"R²", Align::Right},
               {"median error", Align::Right},
               {"p95 error", Align::Right},
               {"inaccurate", Align::Right}});
  for (const Operation operation : {Operation::Multiply, Operation::Convert, Operation::Transfer}) {
    std::vector<double> fits;
    std::vector<double> medians;
    std::vector<double> tails;
    Index samples = 0;
    Index weak = 0;
    for (const CostModel& model : models) {
      if (model.key.operation != operation) continue;
      fits.push_back(model.quality.r_squared);
      medians.push_back(model.quality.median_error);
      tails.push_back(model.quality.p95_error);
      samples += model.quality.samples;
      weak += weak_point(model) == WeakPoint::None ? 0 : 1;
    }
    if (fits.empty()) continue;
    table.add({std::string(name(operation)), std::to_string(fits.size()), std::to_string(samples),
               fit_text(middle(fits)), error_text(middle(medians)), error_text(middle(tails)),
               std::to_string(weak)});
  }
  return table.text();
}

/// The first names, and how many more there are: "a, b and 3 more".
std::string listed(const std::vector<std::string>& names, std::size_t most) {
  const std::span<const std::string> first(names.data(), std::min(most, names.size()));
  std::string text = fmt::format("{}", fmt::join(first, ", "));
  if (names.size() <= most) return text;
  return fmt::format("{} and {} more", text, names.size() - most);
}

constexpr std::size_t most_states = 8;

std::string models_words(std::size_t count) {
  return count == 1 ? "1 model" : fmt::format("{} models", count);
}

/// The state that an operation is of: of a conversion, the format that is made or given up.
std::string state_of(const ModelKey& key) {
  if (key.operation != Operation::Convert) return subject(key);
  return name(is_given(key.from.format) ? key.to : key.from);
}

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

std::vector<std::string> built_in_states(const Profile& profile) {
  if (!profile.calibrated) return {};
  std::map<std::pair<State, Precision>, bool> only_built_in;
  for (const CostModel& model : profile.models()) {
    if (model.key.operation != Operation::Multiply) continue;
    const auto [place, is_new] =
        only_built_in.try_emplace({model.key.from, model.key.precision}, model.built_in);
    if (!is_new) place->second = place->second && model.built_in;
  }
  std::vector<std::string> states;
  for (const auto& [key, is_built_in] : only_built_in) {
    if (!is_built_in) continue;
    states.push_back(fmt::format("{} ({})", name(key.first), name(key.second)));
  }
  return states;
}

std::string built_in_text(const std::vector<std::string>& states) {
  if (states.empty()) return {};
  return "built-in predictions, which may be off by a factor of two or more, are used for " +
         listed(states, most_states) + "; calibrate again while no other program runs";
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
    return "the time to build a kernel varies on this machine; it counts once in a program's run";
  }
  if (model.quality.samples < few_samples) {
    return "too few sizes were measured; give calibration more time, with --budget or --thorough";
  }
  return model.key.operation == Operation::Transfer
             ? "stop other programs that use the device, and calibrate again"
             : "stop other programs on this machine, and calibrate again, if necessary with "
               "--thorough";
}

std::string weak_models_text(const std::vector<CostModel>& models) {
  std::map<std::string, int> by_remedy;
  for (const CostModel& model : models) {
    if (weak_point(model) != WeakPoint::None) ++by_remedy[remedy_for(model)];
  }
  std::string text;
  for (const auto& [remedy, count] : by_remedy) {
    text +=
        folded("", fmt::format("{} {} inaccurate, and decisions that depend on {} may be wrong: {}",
                               count, count == 1 ? "model is" : "models are",
                               count == 1 ? "it" : "them", remedy));
  }
  return text;
}

std::string model_table(const std::vector<CostModel>& models) {
  Table table({{"operation"},
               {"of"},
               {"type"},
               {"variant"},
               {"samples", Align::Right},
               {"R²", Align::Right},
               {"median", Align::Right},
               {"p95", Align::Right},
               {"weak"}});
  for (const CostModel& model : models) {
    const bool is_build = model.key.operation == Operation::Build;
    table.add({std::string(name(model.key.operation)), subject(model.key),
               std::string(precision_name(model.key)), is_build ? "" : model.key.variant,
               std::to_string(model.quality.samples),
               is_build ? "-" : fit_text(model.quality.r_squared),
               error_text(model.quality.median_error), error_text(model.quality.p95_error),
               mark(weak_point(model))});
  }
  return table.text();
}

std::string unfitted_line(const std::vector<UnfittedModel>& unfitted) {
  constexpr std::size_t most_names = 3;
  std::vector<std::string> names;
  for (const UnfittedModel& model : unfitted) {
    names.push_back(fmt::format("{} {} {}", name(model.key.operation), subject(model.key),
                                precision_name(model.key)));
  }
  names.erase(std::unique(names.begin(), names.end()), names.end());  // variants follow each other
  // Several models of an operation, of its variants, have one name.
  const std::string of =
      names.size() == unfitted.size() ? "" : fmt::format(", of {} operations", names.size());
  return fmt::format("could not fit {}{}: {}", models_words(unfitted.size()), of,
                     listed(names, most_names));
}

std::string unfitted_text(const std::vector<UnfittedModel>& unfitted) {
  if (unfitted.empty()) return {};
  std::map<std::string, int> by_state;
  for (const UnfittedModel& model : unfitted) ++by_state[state_of(model.key)];
  std::vector<std::pair<int, std::string>> ranked;
  for (const auto& [state, count] : by_state) ranked.emplace_back(-count, state);
  std::ranges::sort(ranked);
  std::vector<std::string> counts;
  for (const auto& [count, state] : ranked) counts.push_back(fmt::format("{} {}", state, -count));
  return folded(
      "", fmt::format("{} could not be fitted. Rough estimates, which may be off by a factor of "
                      "two or more, are used there: {}. The first: {}; stop other programs and "
                      "run 'switchyard calibrate' again. --json lists all",
                      models_words(unfitted.size()), listed(counts, most_states),
                      unfitted.front().reason));
}

std::string models_text(const CalibrationResult& result, const std::filesystem::path& file,
                        bool verbose) {
  const auto& models = result.profile.models();
  std::string text = verbose ? model_table(models) + "\n" : summary_table(models) + "\n";
  text += fmt::format("profile  {}\n", file.string());
  text += folded(
      "models   ",
      fmt::format(
          "{} in {:.1f} s. Errors (median, p95) are relative and measured on samples that the "
          "fit did not use{}",
          models.size(), result.profile.calibration_seconds,
          verbose ? ""
                  : "; the table shows the median over each operation's models, "
                    "--verbose lists all"));
  text += weak_models_text(models);
  return text + unfitted_text(result.unfitted);
}

Json models_document(const CalibrationResult& result, const std::filesystem::path& file) {
  Json models = Json::array();
  for (const CostModel& model : result.profile.models()) models.push_back(model_json(model));
  Json unfitted = Json::array();
  for (const UnfittedModel& model : result.unfitted) {
    unfitted.push_back({{"operation", name(model.key.operation)},
                        {"of", subject(model.key)},
                        {"precision", precision_name(model.key)},
                        {"variant", model.key.variant},
                        {"reason", model.reason}});
  }
  return {{"seconds", result.profile.calibration_seconds},
          {"profile", file.string()},
          {"load", load_json(result.profile)},
          {"complete", result.complete},
          {"experiments", {{"done", result.done}, {"total", result.total}}},
          {"models", models},
          {"unfitted", unfitted}};
}

}  // namespace switchyard::command
