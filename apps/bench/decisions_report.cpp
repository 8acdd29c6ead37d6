// The workloads as JSON and as text.
#include <fmt/format.h>

#include <algorithm>

#include "command/plan_json.hpp"
#include "command/table.hpp"
#include "decisions.hpp"
#include "decisions_table.hpp"
#include "kernels.hpp"

namespace switchyard::command::bench {
namespace {

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json state_or_null(std::optional<State> state) {
  return state ? Json(name(*state)) : Json(nullptr);
}

/// The seconds of a fixed rule and its regret, under names that end in `rule`.
void add_rule(Json& json, const DecisionCase& entry, const std::string& rule,
              std::optional<State> state) {
  const auto seconds = entry.in(state);
  json["seconds_" + rule] = or_null(seconds);
  json["regret_" + rule] = seconds ? Json(*seconds / entry.oracle()) : Json(nullptr);
}

Json case_json(const DecisionCase& entry) {
  Json json{{"matrix", entry.matrix},           {"precision", name(entry.precision)},
            {"from", name(entry.from)},         {"calls", entry.calls},
            {"hinted", entry.hinted},           {"seconds_adaptive", entry.seconds_adaptive},
            {"seconds_oracle", entry.oracle()}, {"oracle_state", name(entry.best())},
            {"seconds_worst", entry.worst()},   {"regret", entry.regret()}};
  add_rule(json, entry, "csr_host", csr_host);
  add_rule(json, entry, "dense_device", entry.dense_device());
  add_rule(json, entry, "careful", entry.careful);
  json["careful_state"] = state_or_null(entry.careful);
  for (const auto& [state, seconds] : entry.seconds) json["seconds"][name(state)] = seconds;
  for (const auto& [state, variants] : entry.variants) {
    json["seconds_variants"][name(state)] = variants;
  }
  if (!entry.variants.empty()) json["oracle_variant"] = entry.best_variant();
  if (entry.rounds > 0) json["rounds"] = entry.rounds;
  add_request(json);
  json["states_visited"] = state_names(entry.visited);
  json["predicted_seconds"] = or_null(entry.predicted);
  json["spread"] = or_null(entry.spread);
  json["seconds_oracle_of_other_rounds"] = or_null(entry.oracle_of_other_rounds);
  json["extrapolated"] = entry.extrapolated;
  json["max_error"] = or_null(entry.max_error);
  return json;
}

Json build_json(const KernelBuild& build) {
  return {{"space", name(build.space)},
          {"precision", name(build.precision)},
          {"program", build.program},
          {"seconds", build.seconds}};
}

std::string ratio_text(double ratio) {
  if (ratio < 9.995) return fmt::format("{:.2f}", ratio);
  return ratio < 99.95 ? fmt::format("{:.1f}", ratio) : fmt::format("{:.0f}", ratio);
}

/// The regrets from one state, by number of calls, first the hinted ones.
std::vector<std::string> regrets_of(const std::vector<const DecisionCase*>& cases,
                                    const std::vector<Index>& all_calls) {
  std::vector<std::string> cells;
  for (const bool hinted : {true, false}) {
    for (const Index calls : all_calls) {
      const auto found = std::ranges::find_if(cases, [&](const DecisionCase* entry) {
        return entry->calls == calls && entry->hinted == hinted;
      });
      cells.push_back(found == cases.end() ? "" : ratio_text((*found)->regret()));
    }
  }
  return cells;
}

bool same_start(const DecisionCase& one, const DecisionCase& other) {
  return one.matrix == other.matrix && one.precision == other.precision && one.from == other.from;
}

std::string regrets_text(const std::vector<DecisionCase>& cases) {
  const std::vector<Index> all_calls = calls_of(cases);
  std::vector<Table::Column> columns{{"regret"}};
  for (const char* hint : {"", "?"}) {
    for (const Index calls : all_calls) {
      columns.push_back({hint + std::to_string(calls), Align::Right});
    }
  }
  Table table(columns);
  std::string shown;
  for (std::size_t i = 0; i < cases.size();) {
    std::vector<const DecisionCase*> line;
    const DecisionCase& first = cases[i];
    for (; i < cases.size() && same_start(first, cases[i]); ++i) line.push_back(&cases[i]);
    const std::string title =
        fmt::format("{} {}", shortened(first.matrix, 19), name(first.precision));
    if (title != shown)
      table.add([&] {
        std::vector<std::string> cells(columns.size());
        cells.front() = title;
        return cells;
      }());
    shown = title;
    std::vector<std::string> cells = regrets_of(line, all_calls);
    cells.insert(cells.begin(), "  " + name(first.from));
    table.add(std::move(cells));
  }
  return table.text() +
         "\nregret: adaptive time over that of the best fixed state in hindsight; 1 is perfect. "
         "Columns: the\n"
         "number of calls; ? without call-count hint.\n";
}

/// The best state, and its variant where one is held.
std::string best_text(const DecisionCase& entry) {
  const std::string variant = entry.best_variant();
  return variant.empty() ? name(entry.best()) : name(entry.best()) + "/" + variant;
}

std::string worst_text(const std::vector<DecisionCase>& cases) {
  constexpr std::size_t most = 10;
  std::vector<const DecisionCase*> sorted;
  for (const DecisionCase& entry : cases) sorted.push_back(&entry);
  std::ranges::stable_sort(sorted, std::greater{},
                           [](const DecisionCase* entry) { return entry->regret(); });
  Table table({{"largest regrets"},
               {"from"},
               {"calls", Align::Right},
               {"adaptive", Align::Right},
               {"last state"},
               {"best", Align::Right},
               {"best state"},
               {"regret", Align::Right}});
  for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i) {
    const DecisionCase& entry = *sorted[i];
    table.add({fmt::format("{} {}", shortened(entry.matrix, 17), name(entry.precision)),
               name(entry.from), fmt::format("{}{}", entry.hinted ? "" : "?", entry.calls),
               format_seconds(entry.seconds_adaptive),
               entry.visited.empty() ? "" : name(entry.visited.back()),
               format_seconds(entry.oracle()), best_text(entry), ratio_text(entry.regret())});
  }
  return table.text();
}

std::string builds_text(const std::vector<KernelBuild>& builds) {
  if (builds.empty()) return {};
  double seconds = 0;
  for (const KernelBuild& build : builds) seconds += build.seconds;
  return fmt::format(
      "\nNot included: one-off kernel builds, {} programs in {}. A new process builds those that "
      "it\n"
      "uses, or loads them from the kernel cache.\n",
      builds.size(), format_seconds(seconds));
}

}  // namespace

State DecisionCase::best() const {
  return std::ranges::min_element(seconds, {}, [](const auto& pair) { return pair.second; })->first;
}

std::string DecisionCase::best_variant() const {
  const auto found = variants.find(best());
  if (found == variants.end()) return {};
  return std::ranges::min_element(found->second, {}, [](const auto& pair) { return pair.second; })
      ->first;
}

double DecisionCase::worst() const {
  return std::ranges::max_element(seconds, {}, [](const auto& pair) { return pair.second; })
      ->second;
}

std::optional<State> DecisionCase::dense_device() const {
  for (const auto& [state, unused] : seconds) {
    if (!state.space.is_host() && state.format == Format::Dense) return state;
  }
  return std::nullopt;
}

std::optional<double> DecisionCase::in(std::optional<State> state) const {
  if (!state || !seconds.contains(*state)) return std::nullopt;
  return seconds.at(*state);
}

void add_decisions(Json& document, const DecisionResults& results) {
  document["vectors"] = "resident";
  Json workloads = Json::array();
  for (const DecisionCase& entry : results.cases) workloads.push_back(case_json(entry));
  document["workloads"] = workloads;
  document["summary"] = decisions_summary_json(results.cases);
  // A replay runs no programs.
  if (!results.costs.empty() || !results.programs.empty()) {
    document["programs"] = programs_json(results.programs);
    document["summary"]["programs"] = programs_summary_json(results.programs);
  }
  if (!results.costs.empty()) document["cost_table"] = cost_table_json(results.costs);
  if (results.builds.empty()) return;
  for (const KernelBuild& build : results.builds) {
    document["kernel_builds"].push_back(build_json(build));
  }
}

std::string decisions_text(const DecisionResults& results) {
  const std::string programs =
      results.programs.empty() ? "" : "\n" + programs_text(results.programs);
  if (results.cases.empty()) return "No workload was measured.\n" + programs;
  return regrets_text(results.cases) + "\n" + worst_text(results.cases) + "\n" +
         decisions_summary_text(results.cases) + programs + builds_text(results.builds);
}

}  // namespace switchyard::command::bench
