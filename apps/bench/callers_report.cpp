// The table of callers.
#include <fmt/format.h>

#include <algorithm>
#include <switchyard/core/plan.hpp>

#include "callers.hpp"
#include "command/table.hpp"
#include "kernels.hpp"
#include "spread.hpp"
#include "statistics.hpp"

namespace switchyard::command::bench {
namespace {

std::string state_text(const CallersCase& entry) {
  return entry.pinned ? name(*entry.pinned) : "auto";
}

const char* handles_text(const CallersCase& entry) { return entry.shared ? "shared" : "own"; }

std::vector<double> ratios(const std::vector<CallersCase>& cases, bool shared) {
  std::vector<double> all;
  for (const CallersCase& entry : cases) {
    if (entry.failure.empty() && entry.shared == shared) all.push_back(entry.ratio());
  }
  return all;
}

std::string summary_line(const char* handles, const std::vector<double>& values) {
  if (values.empty()) return {};
  return fmt::format("{}: geometric mean {:.2f}, largest {:.2f}\n", handles, geometric_mean(values),
                     std::ranges::max(values));
}

}  // namespace

Json callers_json(const std::vector<CallersCase>& cases) {
  Json list = Json::array();
  for (const CallersCase& entry : cases) {
    const bool timed = entry.failure.empty();
    list.push_back({{"matrix", entry.matrix},
                    {"precision", name(entry.precision)},
                    {"state", state_text(entry)},
                    {"handles", handles_text(entry)},
                    {"callers", entry.callers},
                    {"calls", entry.calls},
                    {"rounds", entry.rounds},
                    {"seconds_one", timed ? Json(entry.seconds_one) : Json(nullptr)},
                    {"seconds_together", timed ? Json(entry.seconds_together) : Json(nullptr)},
                    {"ratio", timed ? Json(entry.ratio()) : Json(nullptr)},
                    {"max_error", entry.max_error},
                    {"failure", text_or_null(entry.failure)}});
  }
  return list;
}

Json callers_summary_json(const std::vector<CallersCase>& cases) {
  return {{"own", spread_json(ratios(cases, false))}, {"shared", spread_json(ratios(cases, true))}};
}

std::string callers_text(const std::vector<CallersCase>& cases) {
  Table table({{"matrix"},
               {"type"},
               {"state"},
               {"handles"},
               {"callers x calls", Align::Right},
               {"one caller", Align::Right},
               {"at once", Align::Right},
               {"ratio", Align::Right}});
  for (const CallersCase& entry : cases) {
    const bool timed = entry.failure.empty();
    table.add({shortened(entry.matrix, 24), std::string(name(entry.precision)), state_text(entry),
               handles_text(entry), fmt::format("{} x {}", entry.callers, entry.calls),
               timed ? format_seconds(entry.seconds_one) : "failed",
               timed ? format_seconds(entry.seconds_together) : "",
               timed ? fmt::format("{:.2f}", entry.ratio()) : ""});
  }
  return table.text() +
         "\nratio: time of all callers at once over that of one caller that makes all of their "
         "calls; 1 or\nless is good.\n" +
         summary_line("one handle for each caller", ratios(cases, false)) +
         summary_line("one handle shared by all", ratios(cases, true));
}

}  // namespace switchyard::command::bench
