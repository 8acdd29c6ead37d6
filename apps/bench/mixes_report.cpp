// Mixes of calls as JSON and as text.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "command/plan_json.hpp"
#include "command/table.hpp"
#include "mixes.hpp"
#include "spread.hpp"

namespace switchyard::command::bench {
namespace {

/// "csr@host, csc@host".
std::string name(const StateOfKinds& states) {
  std::string text;
  for (const State state : states) text += (text.empty() ? "" : ", ") + switchyard::name(state);
  return text;
}

Json case_json(const MixCase& entry) {
  Json kinds = Json::array();
  for (const Request& kind : entry.kinds) {
    kinds.emplace_back();
    add_request(kinds.back(), kind);
  }
  Json seconds = Json::object();
  for (const auto& [states, each] : entry.seconds) seconds[name(states)] = each;
  return {{"matrix", entry.matrix},
          {"precision", switchyard::name(entry.precision)},
          {"from", switchyard::name(entry.from)},
          {"kinds", kinds},
          {"calls", entry.calls},
          {"hinted", entry.hinted},
          {"seconds_adaptive", entry.seconds_adaptive},
          {"seconds_oracle", entry.oracle()},
          {"oracle_states", state_names(entry.best())},
          {"last_states", state_names(entry.last)},
          {"regret", entry.regret()},
          {"seconds", seconds},
          {"rounds", entry.rounds},
          {"max_error", entry.max_error}};
}

std::vector<double> regrets(const std::vector<MixCase>& cases, bool hinted,
                            std::optional<Index> calls = {}) {
  std::vector<double> all;
  for (const MixCase& entry : cases) {
    if (entry.hinted == hinted && calls.value_or(entry.calls) == entry.calls) {
      all.push_back(entry.regret());
    }
  }
  return all;
}

std::set<Index> numbers_of_calls(const std::vector<MixCase>& cases) {
  std::set<Index> numbers;
  for (const MixCase& entry : cases) numbers.insert(entry.calls);
  return numbers;
}

}  // namespace

Json mixes_json(const std::vector<MixCase>& cases) {
  Json all = Json::array();
  for (const MixCase& entry : cases) all.push_back(case_json(entry));
  return all;
}

Json mixes_summary_json(const std::vector<MixCase>& cases) {
  Json by_calls = Json::array();
  for (const Index calls : numbers_of_calls(cases)) {
    by_calls.push_back({{"calls", calls},
                        {"hinted", spread_json(regrets(cases, true, calls))},
                        {"unhinted", spread_json(regrets(cases, false, calls))}});
  }
  return {{"hinted", spread_json(regrets(cases, true))},
          {"unhinted", spread_json(regrets(cases, false))},
          {"by_calls", by_calls}};
}

std::string mixes_text(const std::vector<MixCase>& cases) {
  constexpr std::size_t most_of_a_name = 20;
  if (cases.empty()) return "";
  std::string kinds;
  for (const Request& kind : cases.front().kinds) {
    kinds += (kinds.empty() ? "" : " and ") + switchyard::name(kind);
  }
  Table each({{"matrix"},
              {"type"},
              {"calls", Align::Right},
              {"hint"},
              {"adaptive", Align::Right},
              {"in"},
              {"best fixed", Align::Right},
              {"ratio", Align::Right}});
  for (const MixCase& entry : cases) {
    each.add({shortened(entry.matrix, most_of_a_name),
              std::string(switchyard::name(entry.precision)), std::to_string(entry.calls),
              entry.hinted ? "yes" : "no", format_seconds(entry.seconds_adaptive), name(entry.last),
              format_seconds(entry.oracle()), fmt::format("{:.2f}", entry.regret())});
  }
  Table table = spread_table("time over the best fixed states in hindsight");
  add_spread(table, "adaptive, with call-count hint (regret)", regrets(cases, true));
  add_spread(table, "adaptive, without hint (regret)", regrets(cases, false));
  return "In turn: " + kinds + "\n\n" + each.text() + "\n" + table.text();
}

}  // namespace switchyard::command::bench
