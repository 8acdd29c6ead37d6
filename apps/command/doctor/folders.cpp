// Whether the folders for profiles and compiled kernels can be written.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <switchyard/backends/opencl.hpp>

#include "check.hpp"

namespace switchyard::command::doctor {
namespace {

namespace fs = std::filesystem;

/// Why nothing can be written in the folder, which may be still to be made; empty where it can.
std::string fault_of(fs::path folder) {
  std::error_code failure;
  fs::file_status status = fs::status(folder, failure);
  while (!fs::exists(status) && folder.has_relative_path()) {
    if (fs::is_symlink(fs::symlink_status(folder, failure)))
      return folder.string() + " is a broken symbolic link";
    folder = folder.parent_path();
    status = fs::status(folder, failure);
  }
  if (!fs::is_directory(status)) return folder.string() + " is no folder";
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return {};
  return folder.string() + " is not writable";
}

fs::path profile_folder(const Patient& patient) {
  const fs::path file = patient.options.profile.value_or(patient.runtime.default_profile_path());
  return file.empty() ? file : fs::absolute(file).parent_path();
}

}  // namespace

Findings check_folders(const Patient& patient) {
  Findings findings;
  const fs::path profiles = profile_folder(patient);
  // An existing profile can be used, but not replaced.
  const Health lack = patient.runtime.profile()->calibrated ? Health::Warning : Health::Problem;
  if (profiles.empty()) {
    findings.push_back({lack,
                        "there is no folder for a profile: HOME and XDG_CONFIG_HOME are unset",
                        "export XDG_CONFIG_HOME=/an/absolute/path"});
  } else if (const std::string fault = fault_of(profiles); !fault.empty()) {
    findings.push_back({lack, "no profile can be written: " + fault,
                        "make that folder writable, or export XDG_CONFIG_HOME=/a/folder/of/yours"});
  }
  const fs::path cache = kernel_cache().folder;
  if (!cache.empty()) {
    if (const std::string fault = fault_of(cache); !fault.empty()) {
      findings.push_back(
          {Health::Warning,
           "compiled kernels cannot be cached, and every program compiles them again: " + fault,
           "make that folder writable, or export XDG_CACHE_HOME=/a/folder/of/yours"});
    }
  }
  if (!findings.empty()) return findings;
  return {{Health::Ok, "profiles are written to " + profiles.string()}};
}

}  // namespace switchyard::command::doctor
