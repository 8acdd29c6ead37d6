// Whether the host's threads fit the processors that this process may use.
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <switchyard/containers/group_limits.hpp>

#include "check.hpp"

namespace switchyard::command::doctor {
namespace {

int processors_here() { return static_cast<int>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L)); }

/// Those that this process may run on; 0 where that cannot be told.
int processors_allowed() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

/// "8,2" is one number for each level of nested regions.
bool are_numbers(std::string_view text) {
  for (;;) {
    const auto first = text.find_first_not_of(" \t");
    if (first == text.npos) return false;
    int value = 0;
    const auto [end, error] =
        std::from_chars(text.data() + first, text.data() + text.size(), value);
    if (error != std::errc{} || value < 1) return false;
    text = text.substr(static_cast<std::size_t>(end - text.data()));
    if (text.find_first_not_of(" \t") == text.npos) return true;
    if (text[text.find_first_not_of(" \t")] != ',') return false;
    text = text.substr(text.find(',') + 1);
  }
}

}  // namespace

Findings check_threads(const Patient& patient) {
  Findings findings;
  const int threads = patient.runtime.executors().front()->facts().compute_units;
  int usable = processors_here();
  std::string why = fmt::format("this machine has {} processors", usable);
  if (const int allowed = processors_allowed(); allowed > 0 && allowed < usable) {
    usable = allowed;
    why = fmt::format("this process may run on {} processors", allowed);
  }
  if (const auto quota = processor_limit(); quota && std::ceil(*quota) < usable) {
    usable = std::max(static_cast<int>(std::ceil(*quota)), 1);
    why = fmt::format("a quota limits this process to {:.3g} processors", *quota);
  }
  const char* const asked = std::getenv("OMP_NUM_THREADS");
  if (asked && *asked && !are_numbers(asked)) {
    findings.push_back(
        {Health::Warning,
         fmt::format("OMP_NUM_THREADS is '{}', which is no number, and is ignored", asked),
         fmt::format("export OMP_NUM_THREADS={}", usable)});
  }
  if (threads > usable) {
    findings.push_back(
        {Health::Warning,
         fmt::format("{} threads, but {}; the threads slow each other down", threads, why),
         fmt::format("export OMP_NUM_THREADS={}", usable)});
  }
  if (!findings.empty()) return findings;
  return {{Health::Ok, fmt::format("{} threads; {}", threads, why)}};
}

}  // namespace switchyard::command::doctor
