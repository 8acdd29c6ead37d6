// What the workloads come to.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "command/table.hpp"
#include "decisions.hpp"
#include "spread.hpp"

namespace switchyard::command::bench {
namespace {

using Figure = std::optional<double> (*)(const DecisionCase&);

std::optional<double> ratio(std::optional<double> seconds, double of) {
  if (!seconds) return std::nullopt;
  return *seconds / of;
}

std::optional<double> regret(const DecisionCase& entry) { return entry.regret(); }
std::optional<double> regret_of_careful(const DecisionCase& entry) {
  return ratio(entry.in(entry.careful), entry.oracle());
}
std::optional<double> regret_of_csr_host(const DecisionCase& entry) {
  return ratio(entry.in(csr_host), entry.oracle());
}
std::optional<double> regret_of_dense_device(const DecisionCase& entry) {
  return ratio(entry.in(entry.dense_device()), entry.oracle());
}
std::optional<double> regret_of_worst(const DecisionCase& entry) {
  return entry.worst() / entry.oracle();
}
std::optional<double> to_careful(const DecisionCase& entry) {
  const auto careful = entry.in(entry.careful);
  if (!careful) return std::nullopt;
  return entry.seconds_adaptive / *careful;
}
std::optional<double> last_to_best_product(const DecisionCase& entry) {
  constexpr Index many = 1000;
  return entry.calls == many && entry.hinted ? entry.per_call_ratio : std::nullopt;
}

/// That figure of all cases that have it, of those with or without a hint only where `hinted` says.
std::vector<double> figures(const std::vector<DecisionCase>& cases, Figure figure,
                            std::optional<bool> hinted = {}, std::optional<Index> calls = {}) {
  std::vector<double> all;
  for (const DecisionCase& entry : cases) {
    if (hinted.value_or(entry.hinted) != entry.hinted) continue;
    if (calls.value_or(entry.calls) != entry.calls) continue;
    if (const auto value = figure(entry)) all.push_back(*value);
  }
  return all;
}

/// Nothing where rounds are few.
std::optional<double> regret_to_other_rounds(const DecisionCase& entry) {
  if (!entry.oracle_of_other_rounds) return std::nullopt;
  return entry.seconds_adaptive / *entry.oracle_of_other_rounds;
}

std::vector<DecisionCase> those_that_last(const std::vector<DecisionCase>& cases) {
  constexpr double least_seconds = 1e-3;
  std::vector<DecisionCase> kept;
  std::ranges::copy_if(cases, std::back_inserter(kept), [](const DecisionCase& entry) {
    return std::max(entry.seconds_adaptive, entry.oracle()) > least_seconds;
  });
  return kept;
}

std::optional<double> sum_ratio(const std::vector<DecisionCase>& cases) {
  double adaptive = 0;
  double best = 0;
  for (const DecisionCase& entry : cases) {
    adaptive += entry.seconds_adaptive;
    best += entry.oracle();
  }
  if (cases.empty()) return std::nullopt;
  return adaptive / best;
}

Index fewest_rounds(const std::vector<DecisionCase>& cases) {
  if (cases.empty()) return 0;
  return std::ranges::min(cases, {}, &DecisionCase::rounds).rounds;
}

}  // namespace

Json decisions_summary_json(const std::vector<DecisionCase>& cases) {
  Json by_calls = Json::array();
  for (const Index calls : calls_of(cases)) {
    by_calls.push_back({{"calls", calls},
                        {"hinted", spread_json(figures(cases, &regret, true, calls))},
                        {"unhinted", spread_json(figures(cases, &regret, false, calls))}});
  }
  // A fixed state does not hear the hint: its workloads are counted once.
  return {{"hinted", spread_json(figures(cases, &regret, true))},
          {"unhinted", spread_json(figures(cases, &regret, false))},
          {"by_calls", by_calls},
          {"rules",
           {{"careful", spread_json(figures(cases, &regret_of_careful, true))},
            {"csr_host", spread_json(figures(cases, &regret_of_csr_host, true))},
            {"dense_device", spread_json(figures(cases, &regret_of_dense_device, true))},
            {"worst", spread_json(figures(cases, &regret_of_worst, true))}}},
          {"careful", spread_json(figures(cases, &to_careful))},
          {"long_horizon", spread_json(figures(cases, &last_to_best_product))}};
}

std::vector<Index> calls_of(const std::vector<DecisionCase>& cases) {
  std::set<Index> calls;
  for (const DecisionCase& entry : cases) calls.insert(entry.calls);
  return {calls.begin(), calls.end()};
}

void add_sums(Json& summary, const std::vector<DecisionCase>& cases) {
  const auto long_cases = those_that_last(cases);
  summary["sum_ratio"] = sum_ratio(long_cases) ? Json(*sum_ratio(long_cases)) : Json(nullptr);
  summary["sums"] = {
      {"hinted", spread_json(figures(long_cases, &regret, true))},
      {"unhinted", spread_json(figures(long_cases, &regret, false))},
      {"hinted_to_other_rounds", spread_json(figures(long_cases, &regret_to_other_rounds, true))},
      {"unhinted_to_other_rounds",
       spread_json(figures(long_cases, &regret_to_other_rounds, false))},
      {"fewest_rounds", fewest_rounds(long_cases)}};
}

std::string sums_text(const std::vector<DecisionCase>& cases) {
  const auto long_cases = those_that_last(cases);
  if (long_cases.empty()) return "No workload takes more than 1 ms.\n";
  Table table = spread_table("workloads over 1 ms: sum over that of the best choice");
  add_spread(table, "adaptive, with call-count hint", figures(long_cases, &regret, true));
  add_spread(table, "adaptive, without hint", figures(long_cases, &regret, false));
  add_spread(table, "with hint, over the best of the other rounds",
             figures(long_cases, &regret_to_other_rounds, true));
  add_spread(table, "without, over the best of the other rounds",
             figures(long_cases, &regret_to_other_rounds, false));
  return table.text() +
         fmt::format(
             "\nAll of them together take {:.3f} times as long as with the best fixed state "
             "and variant\nof each, in {} or more rounds.\n",
             *sum_ratio(long_cases), fewest_rounds(long_cases));
}

std::string decisions_summary_text(const std::vector<DecisionCase>& cases) {
  Table table = spread_table("time over the best fixed state in hindsight");
  add_spread(table, "adaptive, with call-count hint (regret)", figures(cases, &regret, true));
  add_spread(table, "adaptive, without hint (regret)", figures(cases, &regret, false));
  add_spread(table, "fixed-threshold rule", figures(cases, &regret_of_careful, true));
  add_spread(table, "always csr@host", figures(cases, &regret_of_csr_host, true));
  add_spread(table, "always dense on a device", figures(cases, &regret_of_dense_device, true));
  add_spread(table, "the worst fixed state", figures(cases, &regret_of_worst, true));
  add_spread(table, "adaptive over the fixed-threshold rule", figures(cases, &to_careful));
  add_spread(table, "one call in the last state, 1000 calls with hint",
             figures(cases, &last_to_best_product));
  return table.text();
}

}  // namespace switchyard::command::bench
