// The settings of a runtime, and how they are read from the environment.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <switchyard/containers/log.hpp>
#include <vector>

namespace switchyard {

class Trace;

/// The names of all environment variables with the prefix SWITCHYARD_ that are read.
[[nodiscard]] std::vector<std::string_view> environment_variables();

/// The settings of a `Runtime`. A default-constructed value does not depend on the environment.
struct RuntimeOptions {
  /// The profile to plan with. Absent: the one of this machine under `config_home`, if any.
  std::optional<std::string> profile = {};
  /// The OpenCL devices to use, as in `open_opencl_devices`: "all", "none", "0,1", "nvidia".
  std::string devices = "all";
  /// The most bytes of matrices and vectors on the host. Absent: a share of its memory.
  std::optional<std::size_t> host_budget = {};
  std::optional<std::size_t> device_budget = {};  ///< the same for each device
  /// The most threads that its calls use on the host together. 0: as many as run at once, see
  /// `host_threads`. A calibrated profile is valid for one number of threads.
  int threads = 0;
  /// The threads that the profile was calibrated with, where a process uses a share of a calibrated
  /// machine. Predictions of several host threads are then multiplied by `profile_threads /
  /// threads`. A profile for `threads` goes before. Ignored unless it is more than `threads`.
  int profile_threads = 0;
  /// Ignores times measured at run time. The same calls then give the same plans and, with the
  /// same number of threads, the same bits from run to run.
  bool reproducible = false;
  /// The folder of `switchyard/profiles/` (XDG base directory specification). Empty: none.
  std::string config_home = {};
  /// Records every decision, step and call (see trace.hpp). Null: none.
  std::shared_ptr<Trace> trace = {};

  /// From SWITCHYARD_PROFILE, SWITCHYARD_DEVICES, SWITCHYARD_HOST_BUDGET, SWITCHYARD_DEVICE_BUDGET,
  /// SWITCHYARD_THREADS, SWITCHYARD_REPRODUCIBLE (0 or 1), XDG_CONFIG_HOME and HOME. Throws
  /// `Error(InvalidArgument)` for a budget or number of threads that is none, or a switch
  /// that is neither 0 nor 1.
  [[nodiscard]] static RuntimeOptions from_environment();
  /// The same, without errors: what cannot be read keeps its default, and `problems` gets one line
  /// for each.
  [[nodiscard]] static RuntimeOptions from_environment(std::vector<std::string>& problems);
};

/// The level in SWITCHYARD_LOG, absent if it is not set. Throws `Error(InvalidArgument)` for an
/// unknown level.
[[nodiscard]] std::optional<LogLevel> log_level_from_environment();

/// Bytes from "1500", "64k" or "1.5G", with k, M, G or T for powers of 1024. Returns nothing for
/// any other text.
[[nodiscard]] std::optional<std::size_t> parse_bytes(std::string_view text) noexcept;

}  // namespace switchyard
