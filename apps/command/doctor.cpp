// `switchyard doctor`: what is wrong on this machine, and the commands that fix it.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "activity.hpp"
#include "colour.hpp"
#include "command.hpp"
#include "doctor/all.hpp"
#include "doctor/report.hpp"

namespace switchyard::command {
namespace {

using doctor::Entry;
using doctor::Health;

Outcome run_doctor(const CommonOptions& common) {
  Activity activity(!common.quiet);
  const std::vector<Entry> entries =
      doctor::check_all([&](const std::string& what) { activity.now(what); });
  Outcome outcome;
  outcome.output = common.json ? json_text(report_document(entries))
                               : report_text(entries, colour_wanted(STDOUT_FILENO));
  const auto problems = std::ranges::count_if(
      entries, [](const Entry& entry) { return entry.finding.health == Health::Problem; });
  if (problems > 0) {
    outcome.failure =
        fmt::format("{} problem{} found", problems, problems == 1 ? " was" : "s were");
  }
  return outcome;
}

}  // namespace

Action add_doctor(CLI::App&) {
  return [](const CommonOptions& common) { return run_doctor(common); };
}

}  // namespace switchyard::command
