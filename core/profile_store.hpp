// Where profiles are kept, and which one fits this machine.
#pragma once

#include <filesystem>
#include <string>
#include <switchyard/core/options.hpp>
#include <switchyard/models/profile.hpp>

namespace switchyard {

/// `config_home`/switchyard/profiles/CPU-THREADSt[-DEVICE...].json; empty where config_home is.
[[nodiscard]] std::filesystem::path profile_path(const std::filesystem::path& config_home,
                                                 const Fingerprint& fingerprint);

/// The profile with its devices renumbered to those of `here`, which may be fewer. Throws
/// `Error(ProfileMismatch)` where it was measured on another machine, or lacks a device.
[[nodiscard]] Profile fitted_profile(const Profile& profile, const Fingerprint& here);

/// A profile, and what was wrong with a better one.
struct ProfileChoice {
  Profile profile;
  std::string problem;   ///< one line; empty where nothing was wrong
  bool damaged = false;  ///< whether a file was there that is not even another machine's profile
};

/// The profile that `options` name or that is kept for `here`, with its threads or with
/// `options.profile_threads`, completed by the models of `builtin` for what it has no model of, or
/// else `builtin` alone. Never throws for anything that a file may hold.
[[nodiscard]] ProfileChoice choose_profile(const RuntimeOptions& options, const Fingerprint& here,
                                           Profile builtin);

}  // namespace switchyard
