// Looking for the profile that fits.
#include "profile_store.hpp"

#include <algorithm>
#include <cctype>
#include <switchyard/containers/error.hpp>
#include <switchyard/containers/folder.hpp>
#include <switchyard/core/outlook.hpp>

#include "builtin_models.hpp"

namespace switchyard {
namespace {

namespace fs = std::filesystem;

/// Lower-case letters and digits, everything else as single dashes: fit for a file name.
std::string slug(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 128 && std::isalnum(byte)) {
      result += static_cast<char>(std::tolower(byte));
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  constexpr std::size_t longest = 60;
  return result.substr(0, longest);
}

std::string machine_stem(const Fingerprint& fingerprint) {
  return slug(fingerprint.cpu) + "-" + std::to_string(fingerprint.threads) + "t";
}

/// A space of the profile's machine as it is numbered here; nothing for a device that is not here.
std::optional<Space> renumbered(Space space, const std::vector<int>& here_of) {
  if (space.is_host()) return space;
  const auto k = static_cast<std::size_t>(space.index() - 1);
  if (k >= here_of.size() || here_of[k] < 0) return std::nullopt;
  return Space::device(here_of[k]);
}

/// For each device of the profile, its number here, or -1.
std::vector<int> match_devices(const Fingerprint& profile, const Fingerprint& here) {
  std::vector<int> here_of(profile.devices.size(), -1);
  for (std::size_t i = 0; i < here.devices.size(); ++i) {
    const auto unmatched = [&](std::size_t j) {
      return here_of[j] < 0 && profile.devices[j] == here.devices[i];
    };
    std::size_t j = 0;
    while (j < profile.devices.size() && !unmatched(j)) ++j;
    if (j == profile.devices.size()) {
      throw Error(ErrorCode::ProfileMismatch, "the profile does not know the device " +
                                                  here.devices[i].name + " (" +
                                                  here.devices[i].driver + ")");
    }
    here_of[j] = static_cast<int>(i);
  }
  return here_of;
}

bool is_on_several_host_threads(const ModelKey& key) {
  const bool computes = key.operation == Operation::Multiply || key.operation == Operation::Convert;
  return computes && key.from.space.is_host() && threads_of(key) != Threads::One;
}

/// The profile for a process that has `here.threads` of those that were measured. The other threads
/// are taken to be as busy, so that memory is shared as processors are.
Profile for_share(Profile profile, const Fingerprint& here) {
  if (profile.fingerprint().threads == here.threads) return profile;
  const double times = static_cast<double>(profile.fingerprint().threads) / here.threads;
  std::vector<CostModel> models;
  for (const CostModel& model : profile.models()) {
    models.push_back(is_on_several_host_threads(model.key) ? scaled(model, times) : model);
  }
  return profile.with(here, std::move(models));
}

/// The profile in `file`, if it is of this machine with `threads`.
Profile load_fitting(const fs::path& file, const Fingerprint& here, int threads) {
  const Profile profile = load_profile(file);
  try {
    Fingerprint measured = here;
    measured.threads = threads;
    Profile fitted = fitted_profile(profile, measured);
    if (knows_products(fitted)) return for_share(std::move(fitted), here);
    throw Error(ErrorCode::ProfileMismatch,
                "the profile knows no product: calibrating ran out of time before it measured one");
  } catch (const Error& error) {
    throw Error(error.code(), error.what(), file.string(),
                "run 'switchyard calibrate' on this machine");
  }
}

/// The file kept for exactly these devices and threads, or one for this processor with more
/// devices.
std::vector<fs::path> candidates(const fs::path& config_home, Fingerprint here, int threads) {
  here.threads = threads;
  std::vector<fs::path> files;
  const fs::path exact = profile_path(config_home, here);
  if (exact.empty()) return files;
  const fs::path folder = exact.parent_path();
  const std::string stem = machine_stem(here);
  for (const std::string& name : names_in(folder)) {
    const bool fits = name.starts_with(stem) && name.ends_with(".json");
    if (fits && folder / name != exact) files.push_back(folder / name);
  }
  std::ranges::sort(files);
  std::error_code ignored;
  if (fs::exists(exact, ignored)) files.insert(files.begin(), exact);
  return files;
}

}  // namespace

fs::path profile_path(const fs::path& config_home, const Fingerprint& fingerprint) {
  if (config_home.empty()) return {};
  std::string stem = machine_stem(fingerprint);
  for (const auto& device : fingerprint.devices) stem += "-" + slug(device.name);
  constexpr std::size_t longest = 200;  // file systems allow 255 bytes
  return config_home / "switchyard" / "profiles" / (stem.substr(0, longest) + ".json");
}

Profile fitted_profile(const Profile& profile, const Fingerprint& here) {
  Fingerprint without_devices = here;
  without_devices.devices = profile.fingerprint().devices;
  if (const auto text = difference(profile.fingerprint(), without_devices); !text.empty()) {
    throw Error(ErrorCode::ProfileMismatch, "the profile is of another machine: " + text);
  }
  const auto here_of = match_devices(profile.fingerprint(), here);
  std::vector<CostModel> models;
  for (CostModel model : profile.models()) {
    const auto from = renumbered(model.key.from.space, here_of);
    const auto to = renumbered(model.key.to.space, here_of);
    if (!from || !to) continue;
    model.key.from.space = *from;
    model.key.to.space = *to;
    models.push_back(std::move(model));
  }
  return profile.with(here, std::move(models));
}

ProfileChoice choose_profile(const RuntimeOptions& options, const Fingerprint& here,
                             Profile builtin) {
  ProfileChoice choice;
  std::vector<int> threads{here.threads};
  if (options.profile_threads > here.threads) threads.push_back(options.profile_threads);
  for (const int measured : threads) {
    const auto files = options.profile ? std::vector<fs::path>{*options.profile}
                                       : candidates(options.config_home, here, measured);
    for (const fs::path& file : files) {
      try {
        // An operation that calibration could not fit is still possible, and a pinned state
        // computes.
        Profile fitting = load_fitting(file, here, measured);
        return {.profile = completed_with_builtin(std::move(fitting), builtin), .problem = {}};
      } catch (const Error& error) {
        choice.damaged |= error.code() != ErrorCode::ProfileMismatch;
        if (choice.problem.empty()) choice.problem = error.what();
      }
    }
  }
  choice.profile = std::move(builtin);
  if (choice.problem.empty()) {
    choice.problem = "this machine is not calibrated; run 'switchyard calibrate'";
  }
  return choice;
}

}  // namespace switchyard
