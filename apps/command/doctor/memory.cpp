// Whether the memory budgets fit into the memory of each space.
#include <fmt/format.h>

#include "../table.hpp"
#include "check.hpp"

namespace switchyard::command::doctor {
namespace {

/// Half of that many bytes, as a budget is written.
std::string half_in_megabytes(double bytes) {
  return fmt::format("{:.0f}M", bytes / 2 / (1 << 20));
}

}  // namespace

Findings check_memory(const Patient& patient) {
  Findings findings;
  std::string words;
  for (const auto& executor : patient.runtime.executors()) {
    const bool is_host = executor->space().is_host();
    const std::string place = name(executor->space());
    const char* const variable = is_host ? "SWITCHYARD_HOST_BUDGET" : "SWITCHYARD_DEVICE_BUDGET";
    const auto budget = static_cast<double>(executor->memory()->budget());
    const auto there = static_cast<double>(executor->facts().memory_bytes);
    words += fmt::format("{}{} {} of {}", words.empty() ? "" : ", ", place, format_bytes(budget),
                         format_bytes(there));
    if (budget == 0) {
      findings.push_back({Health::Problem,
                          fmt::format("the budget of {} is 0, so no matrix fits", place),
                          fmt::format("unset {}", variable)});
    } else if (budget > there) {
      findings.push_back({Health::Warning,
                          fmt::format("the budget of {} is {}, more than the {} of memory there",
                                      place, format_bytes(budget), format_bytes(there)),
                          fmt::format("export {}={}", variable, half_in_megabytes(there))});
    }
  }
  if (!findings.empty()) return findings;
  return {{Health::Ok, "budgets: " + words}};
}

}  // namespace switchyard::command::doctor
