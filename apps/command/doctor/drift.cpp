// A few operations measured now, against the predictions of the profile.
#include <fmt/format.h>

#include <switchyard/tuning/drift.hpp>

#include "check.hpp"

namespace switchyard::command::doctor {
namespace {

std::string what_of(const Drift& drift) {
  switch (drift.operation) {
    case Operation::Multiply:
      return "multiplications on " + name(drift.from);
    case Operation::Convert:
      return "conversions on " + name(drift.from);
    case Operation::Transfer:
      return "transfers " + name(drift.from) + " to " + name(drift.to);
    case Operation::Build:
      break;
  }
  return "kernel builds for " + name(drift.from);
}

Finding drifted(const Drift& drift) {
  return {Health::Warning,
          fmt::format("{} take {:.2g} times the predicted time, more than the {:.2g} times "
                      "that the models allow: the machine has changed, or other programs run",
                      what_of(drift), drift.factor, drift.promised),
          "stop other programs, then run: switchyard calibrate"};
}

}  // namespace

Findings check_drift(const Patient& patient) {
  const auto profile = patient.runtime.profile();
  if (!profile->calibrated)
    return {{Health::Ok, "nothing to compare with, as there is no profile"}};
  Findings findings;
  std::string words;
  for (const Drift& drift : measure_drift(patient.runtime.executors(), *profile)) {
    if (drift.drifted()) findings.push_back(drifted(drift));
    words += fmt::format("{}{} {:.2g}", words.empty() ? "" : ", ", what_of(drift), drift.factor);
  }
  if (!findings.empty()) return findings;
  if (words.empty()) return {{Health::Ok, "the profile has no model that could be compared"}};
  return {{Health::Ok, "measured over predicted time (1 is perfect): " + words}};
}

}  // namespace switchyard::command::doctor
