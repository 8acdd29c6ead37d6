// `switchyard doctor`: what is wrong on this machine, and the commands that fix it.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <exception>

#include "activity.hpp"
#include "colour.hpp"
#include "command.hpp"
#include "doctor/check.hpp"
#include "doctor/report.hpp"

namespace switchyard::command {
namespace {

using doctor::Entry;
using doctor::Finding;
using doctor::Findings;
using doctor::Health;
using doctor::Patient;

struct Check {
  const char* name;
  const char* doing;  ///< for progress
  Findings (*run)(const Patient&);
};

/// In the order in which things depend on each other.
constexpr std::array checks{
    Check{"environment", "the environment", &doctor::check_environment},
    Check{"devices", "the devices", &doctor::check_devices},
    Check{"kernels", "the kernels, each of which is compiled", &doctor::check_kernels},
    Check{"threads", "the threads", &doctor::check_threads},
    Check{"memory", "the memory", &doctor::check_memory},
    Check{"folders", "the folders", &doctor::check_folders},
    Check{"profile", "the profile", &doctor::check_profile},
    Check{"models", "the models", &doctor::check_models},
    Check{"drift", "measured against predicted times", &doctor::check_drift}};

/// A check that fails is a finding too.
Findings run_check(const Check& check, const Patient& patient) {
  try {
    return check.run(patient);
  } catch (const std::exception& error) {
    return {Finding{Health::Problem, std::string("this check failed: ") + error.what(), ""}};
  }
}

Outcome run_doctor(const CommonOptions& common) {
  Activity activity(!common.quiet);
  activity.now("opening the devices");
  const Patient patient = doctor::examine();
  std::vector<Entry> entries;
  for (const Check& check : checks) {
    activity.now(std::string("checking ") + check.doing);
    for (Finding& finding : run_check(check, patient)) {
      entries.push_back({check.name, std::move(finding)});
    }
  }
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
