// A few products, conversions and transfers now, against what the profile says of them.
#include <fmt/format.h>

#include <switchyard/tuning/drift.hpp>

#include "check.hpp"

namespace switchyard::command::doctor {
namespace {

std::string what_of(const Drift& drift) {
  switch (drift.operation) {
    case Operation::Multiply:
      return "products on " + name(drift.from);
    case Operation::Convert:
      return "conversions on " + name(drift.from);
    case Operation::Transfer:
      return "transfers " + name(drift.from) + " to " + name(drift.to);
    case Operation::Build:
      break;
  }
  return "builds for " + name(drift.from);
}

Finding drifted(const Drift& drift) {
  return {Health::Warning,
          fmt::format("{} take {:.2g} times what the profile says; calibration promised {:.2g} "
                      "at most: the machine has changed, or is busy",
                      what_of(drift), drift.factor, drift.promised),
          "stop what else runs, then switchyard calibrate"};
}

}  // namespace

Findings check_drift(const Patient& patient) {
  const auto profile = patient.runtime.profile();
  if (!profile->calibrated)
    return {{Health::Ok, "nothing to compare with until there is a profile"}};
  Findings findings;
  std::string words;
  for (const Drift& drift : measure_drift(patient.runtime.executors(), *profile)) {
    if (drift.drifted()) findings.push_back(drifted(drift));
    words += fmt::format("{}{} {:.2g}", words.empty() ? "" : ", ", what_of(drift), drift.factor);
  }
  if (!findings.empty()) return findings;
  if (words.empty()) return {{Health::Ok, "the profile covers nothing that could be compared"}};
  return {{Health::Ok, "measured over predicted time: " + words}};
}

}  // namespace switchyard::command::doctor
