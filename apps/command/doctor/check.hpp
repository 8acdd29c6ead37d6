// What a doctor's check looks at, and what it finds.
#pragma once

#include <string>
#include <switchyard/core/options.hpp>
#include <switchyard/core/runtime.hpp>
#include <vector>

namespace switchyard::command::doctor {

/// A warning is worth knowing; a problem keeps Switchyard from working as it should.
enum class Health { Ok, Warning, Problem };

struct Finding {
  Health health = Health::Ok;
  std::string message;
  std::string remedy = {};  ///< what to do, with what to type; empty where nothing is to be done
};
using Findings = std::vector<Finding>;

/// The machine as it could be opened.
struct Patient {
  RuntimeOptions options;                   ///< of the environment, defaults for what is off
  std::vector<std::string> unreadable;      ///< variables that are off, a line each
  std::string selection_fault;              ///< why no device could be selected; empty: they were
  std::vector<std::string> opening_faults;  ///< warnings while the devices were opened
  Runtime runtime;
};

/// Opens what can be opened; never throws for anything in the environment.
[[nodiscard]] Patient examine();

// One check each; at least one finding, and all fine is one of them.
[[nodiscard]] Findings check_environment(const Patient& patient);
[[nodiscard]] Findings check_devices(const Patient& patient);
[[nodiscard]] Findings check_kernels(const Patient& patient);
[[nodiscard]] Findings check_threads(const Patient& patient);
[[nodiscard]] Findings check_memory(const Patient& patient);
[[nodiscard]] Findings check_folders(const Patient& patient);
[[nodiscard]] Findings check_profile(const Patient& patient);
[[nodiscard]] Findings check_models(const Patient& patient);
[[nodiscard]] Findings check_drift(const Patient& patient);

}  // namespace switchyard::command::doctor
