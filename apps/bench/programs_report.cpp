// The programs as JSON and as text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <switchyard/core/plan.hpp>

#include "command/plan_json.hpp"
#include "command/table.hpp"
#include "kernels.hpp"
#include "programs.hpp"
#include "spread.hpp"
#include "statistics.hpp"

namespace switchyard::command::bench {
namespace {

/// Below that a program is not worth a choice.
constexpr double long_seconds = 0.05;

/// JSON has no words for what is not finite.
Json number_or_null(std::optional<double> number) {
  return number && std::isfinite(*number) ? Json(*number) : Json(nullptr);
}

void add_figures(Json& json, const std::string& who, const ProgramFigures& figures) {
  json["rounds"][who] = figures.rounds;
  json["iterations"][who] = figures.iterations;
  json["residual"][who] = number_or_null(figures.residual);
  json["difference"][who] = number_or_null(figures.difference);
}

Json case_json(const ProgramCase& entry) {
  Json json{{"program", entry.program},
            {"matrix", entry.matrix},
            {"precision", name(entry.precision)},
            {"told", entry.told},
            {"seconds_auto", entry.automatic.seconds},
            {"seconds_best", entry.best_seconds()},
            {"best_state", name(entry.best())},
            {"ratio", entry.ratio()},
            {"agree", entry.agree}};
  for (const auto& [state, figures] : entry.pinned) json["seconds"][name(state)] = figures.seconds;
  for (const auto& [state, variants] : entry.variants) {
    json["seconds_variants"][name(state)] = variants;
  }
  json["states_visited"] = state_names(entry.visited);
  add_figures(json, "auto", entry.automatic);
  for (const auto& [state, figures] : entry.pinned) add_figures(json, name(state), figures);
  return json;
}

std::vector<double> ratios(const std::vector<ProgramCase>& cases, double from_seconds) {
  std::vector<double> all;
  for (const ProgramCase& entry : cases) {
    if (entry.best_seconds() >= from_seconds) all.push_back(entry.ratio());
  }
  return all;
}

std::string summary_line(const std::string& which, const std::vector<double>& values) {
  if (values.empty()) return {};
  return fmt::format("regret of {} {}: geometric mean {:.3f}, p95 {:.2f}, maximum {:.2f}\n",
                     values.size(), which, geometric_mean(values), percentile(values, 0.95),
                     std::ranges::max(values));
}

}  // namespace

State ProgramCase::best() const {
  return std::ranges::min_element(pinned, {}, [](const auto& pair) { return pair.second.seconds; })
      ->first;
}

std::string ProgramCase::best_name() const {
  const auto found = variants.find(best());
  if (found == variants.end()) return name(best());
  const auto least =
      std::ranges::min_element(found->second, {}, [](const auto& pair) { return pair.second; });
  return name(best()) + "/" + least->first;
}

Json programs_json(const std::vector<ProgramCase>& cases) {
  Json all = Json::array();
  for (const ProgramCase& entry : cases) all.push_back(case_json(entry));
  return all;
}

Json programs_summary_json(const std::vector<ProgramCase>& cases) {
  return {{"long", spread_json(ratios(cases, long_seconds))},
          {"all", spread_json(ratios(cases, 0))}};
}

std::string programs_text(const std::vector<ProgramCase>& cases) {
  if (cases.empty()) return {};
  Table table({{"program"},
               {"matrix"},
               {"type"},
               {"auto", Align::Right},
               {"last state"},
               {"best", Align::Right},
               {"best state"},
               {"regret", Align::Right}});
  for (const ProgramCase& entry : cases) {
    table.add({entry.program, shortened(entry.matrix, 24), std::string(name(entry.precision)),
               format_seconds(entry.automatic.seconds),
               entry.visited.empty() ? "" : name(entry.visited.back()),
               format_seconds(entry.best_seconds()), entry.best_name(),
               fmt::format("{:.2f}{}", entry.ratio(), entry.agree ? "" : " WRONG")});
  }
  return table.text() + "\n" +
         summary_line("programs of 50 ms or more", ratios(cases, long_seconds)) +
         summary_line("programs in all", ratios(cases, 0));
}

}  // namespace switchyard::command::bench
