// Whether there is a profile, whether it was measured on this machine, and its age.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <optional>
#include <switchyard/containers/error.hpp>
#include <switchyard/tuning/calibration_load.hpp>

#include "check.hpp"

namespace switchyard::command::doctor {
namespace {

namespace fs = std::filesystem;

constexpr double seconds_a_day = 24 * 3600;
constexpr auto calibrate_here = "switchyard calibrate";
constexpr auto calibrate_when_quiet = "switchyard calibrate, while no other program runs";

/// The days since the profile was made; nothing where it does not say when.
std::optional<double> age_in_days(const Profile& profile) {
  std::tm parts{};
  const char* const end = strptime(profile.created.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (!end || *end) return {};
  return std::difftime(std::time(nullptr), timegm(&parts)) / seconds_a_day;
}

/// The profile that fits.
Finding in_use(const Profile& profile) {
  constexpr double old = 180;
  const auto days = age_in_days(profile);
  std::string words = profile.file + " fits";
  if (days) words += *days < 1 ? ", made today" : fmt::format(", made {:.0f} days ago", *days);
  const auto calibrated = std::ranges::count(profile.models(), false, &CostModel::built_in);
  words += fmt::format(", {} models", calibrated);
  if (!days || *days <= old) return {Health::Ok, words};
  return {Health::Warning, words + ": the machine may have changed since", calibrate_here};
}

/// What else the machine did when the profile was made; nothing if it was quiet.
std::optional<Finding> made_under_load(const Profile& profile) {
  const std::string busy = busy_text(profile);
  if (busy.empty()) return {};
  return Finding{Health::Warning, "it was measured under " + busy, calibrate_when_quiet};
}

/// The profile in that folder whose machine differs least from this one.
std::optional<Profile> nearest_in(const fs::path& folder, const Fingerprint& here) {
  std::optional<Profile> nearest;
  std::size_t fewest = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() != ".json") continue;
    try {
      Profile profile = load_profile(entry.path());
      const std::size_t count = differences(profile.fingerprint(), here).size();
      if (nearest && count >= fewest) continue;
      nearest = std::move(profile);
      fewest = count;
    } catch (const Error&) {
      continue;
    }
  }
  return nearest;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

/// What to do so that this profile fits again, or another does.
std::string remedy_for(const std::vector<std::string>& unlike, const Fingerprint& profile) {
  if (unlike.size() == 1 && unlike.front().starts_with("threads ")) {
    return fmt::format("export OMP_NUM_THREADS={}, as when it was made, or {}", profile.threads,
                       calibrate_here);
  }
  return calibrate_here;
}

/// `problem` is why the runtime did not take it, for a profile of this very machine.
Finding unfit(const Profile& profile, const Fingerprint& here, const std::string& problem) {
  const auto unlike = differences(profile.fingerprint(), here);
  return {Health::Problem,
          fmt::format("{} does not fit this machine and is not used: {}", profile.file,
                      unlike.empty() ? problem.substr(0, problem.find(" (")) : joined(unlike)),
          remedy_for(unlike, profile.fingerprint())};
}

Finding not_there(const Patient& patient, const fs::path& file) {
  if (patient.options.profile) {
    return {Health::Problem,
            fmt::format("SWITCHYARD_PROFILE names {}, which does not exist", file.string()),
            "create it with: switchyard calibrate; or unset SWITCHYARD_PROFILE"};
  }
  const Fingerprint here = patient.runtime.fingerprint();
  if (const auto nearest = nearest_in(file.parent_path(), here)) {
    return unfit(*nearest, here, patient.runtime.profile_problem());
  }
  return {Health::Warning,
          "this machine is not calibrated: predictions use built-in figures, which may be off by a "
          "factor of two or more",
          calibrate_here};
}

}  // namespace

Findings check_profile(const Patient& patient) {
  const auto used = patient.runtime.profile();
  if (used->calibrated) {
    Findings findings{in_use(*used)};
    if (auto loaded = made_under_load(*used)) findings.push_back(std::move(*loaded));
    return findings;
  }
  const fs::path file = patient.options.profile.value_or(patient.runtime.default_profile_path());
  std::error_code ignored;
  if (file.empty() || !fs::exists(file, ignored)) return {not_there(patient, file)};
  try {
    return {unfit(load_profile(file), patient.runtime.fingerprint(),
                  patient.runtime.profile_problem())};
  } catch (const Error& error) {
    return {{Health::Problem, error.what(),
             error.code() == ErrorCode::IoError
                 ? "make that file readable, or remove it and run: switchyard calibrate"
                 : "switchyard calibrate, which replaces the file"}};
  }
}

}  // namespace switchyard::command::doctor
