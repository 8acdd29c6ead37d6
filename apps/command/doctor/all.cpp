// The checks in their order.
#include "all.hpp"

#include <array>
#include <exception>
#include <utility>

namespace switchyard::command::doctor {
namespace {

struct Check {
  const char* name;
  const char* doing;  ///< for progress
  Findings (*run)(const Patient&);
};

/// In the order in which things depend on each other.
constexpr std::array checks{
    Check{"environment", "the environment", &check_environment},
    Check{"devices", "the devices", &check_devices},
    Check{"kernels", "the kernels, each of which is compiled", &check_kernels},
    Check{"threads", "the threads", &check_threads},
    Check{"memory", "the memory", &check_memory},
    Check{"folders", "the folders", &check_folders},
    Check{"profile", "the profile", &check_profile},
    Check{"models", "the models", &check_models},
    Check{"drift", "measured against predicted times", &check_drift}};

/// A check that fails is a finding too.
Findings run_check(const Check& check, const Patient& patient) {
  try {
    return check.run(patient);
  } catch (const std::exception& error) {
    return {Finding{Health::Problem, std::string("this check failed: ") + error.what(), ""}};
  }
}

}  // namespace

std::vector<Entry> check_all(FunctionRef<void(const std::string&)> doing) {
  doing("opening the devices");
  const Patient patient = examine();
  std::vector<Entry> entries;
  for (const Check& check : checks) {
    doing(std::string("checking ") + check.doing);
    for (Finding& finding : run_check(check, patient)) {
      entries.push_back({check.name, std::move(finding)});
    }
  }
  return entries;
}

}  // namespace switchyard::command::doctor
