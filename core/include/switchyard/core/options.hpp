// What a runtime can be told from outside; the one place that reads the environment.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <switchyard/containers/log.hpp>
#include <vector>

namespace switchyard {

class Trace;

/// The variables that begin with SWITCHYARD_ and mean something.
[[nodiscard]] std::vector<std::string_view> environment_variables();

/// Settings of a `Runtime`. A default-constructed value depends on nothing outside the program.
struct RuntimeOptions {
  /// The profile to plan with; absent: the one for this machine under `config_home`, if there.
  std::optional<std::filesystem::path> profile;
  /// Which OpenCL devices, as `open_opencl_devices` reads it: "all", "none", "0,1", "nvidia".
  std::string devices = "all";
  /// Bytes of matrices and vectors at most; absent: a share of what is there.
  std::optional<std::size_t> host_budget;
  std::optional<std::size_t> device_budget;  ///< of each device
  /// The same calls give the same plans and, with the same number of threads, the same bits from
  /// run to run: nothing that is measured on the way is consulted, and nothing is tried.
  bool reproducible = false;
  /// Where `switchyard/profiles/` is (XDG base directory specification); empty: nowhere.
  std::filesystem::path config_home;
  /// Where to note every decision, step and product (see trace.hpp); null: nowhere.
  std::shared_ptr<Trace> trace = {};

  /// From SWITCHYARD_PROFILE, SWITCHYARD_DEVICES, SWITCHYARD_HOST_BUDGET, SWITCHYARD_DEVICE_BUDGET,
  /// SWITCHYARD_REPRODUCIBLE (0 or 1), XDG_CONFIG_HOME and HOME. Throws `Error(InvalidArgument)`
  /// for a budget that is no number, or a switch that is neither.
  [[nodiscard]] static RuntimeOptions from_environment();
  /// The same, but what cannot be read is left at its default and told in `problems`, a line each.
  [[nodiscard]] static RuntimeOptions from_environment(std::vector<std::string>& problems);
};

/// The level in SWITCHYARD_LOG, absent where it is not set. Throws `Error(InvalidArgument)` for a
/// word that is no level.
[[nodiscard]] std::optional<LogLevel> log_level_from_environment();

/// "1500", "64k", "1.5G": bytes, with k, M, G or T for powers of 1024; nothing for anything else.
[[nodiscard]] std::optional<std::size_t> parse_bytes(std::string_view text) noexcept;

}  // namespace switchyard
