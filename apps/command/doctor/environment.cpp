// Environment variables that are invalid, misspelt or ignored.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "check.hpp"

namespace switchyard::command::doctor {
namespace {

/// The names of the variables with that beginning.
std::vector<std::string> set_variables(std::string_view beginning) {
  std::vector<std::string> names;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with(beginning)) names.emplace_back(text.substr(0, text.find('=')));
  }
  std::ranges::sort(names);
  return names;
}

bool is_known(const std::string& name) {
  const auto known = environment_variables();
  return std::ranges::find(known, name) != known.end();
}

/// The XDG specification demands that relative paths are ignored.
void add_relative(const char* name, Findings& findings) {
  const char* const value = std::getenv(name);
  if (!value || !*value || *value == '/') return;
  findings.push_back(
      {Health::Warning,
       fmt::format("{} is '{}', which is no absolute path, and is ignored", name, value),
       fmt::format("export {}=/an/absolute/path, or unset {}", name, name)});
}

}  // namespace

Findings check_environment(const Patient& patient) {
  Findings findings;
  for (const std::string& line : patient.unreadable) {
    findings.push_back({Health::Problem, line + "; every other command fails with this setting",
                        "correct that variable, or unset it"});
  }
  std::string names;
  for (const std::string& name : set_variables("SWITCHYARD_")) {
    names += (names.empty() ? "" : ", ") + name;
    if (is_known(name)) continue;
    findings.push_back({Health::Warning, name + " is set but unknown; is it misspelt?",
                        "unset " + name + " ('switchyard --help' lists the known variables)"});
  }
  add_relative("XDG_CONFIG_HOME", findings);
  add_relative("XDG_CACHE_HOME", findings);
  if (!findings.empty()) return findings;
  return {{Health::Ok, names.empty() ? "no SWITCHYARD_ variable is set" : names + " set"}};
}

}  // namespace switchyard::command::doctor
