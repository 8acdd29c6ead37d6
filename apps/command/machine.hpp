// The machine as the commands open it.
#pragma once

#include <optional>
#include <string>
#include <switchyard/core/runtime.hpp>
#include <switchyard/core/trace.hpp>

#include "output.hpp"

namespace switchyard::command {

/// A runtime, and why no better profile serves it.
struct Machine {
  Runtime runtime;
  std::string profile_problem;
};

/// How a command wants the machine.
struct MachineRequest {
  std::optional<Space> device = {};                   ///< absent: all devices
  std::optional<std::filesystem::path> profile = {};  ///< absent: the one that fits, if any
  std::shared_ptr<Trace> trace = {};                  ///< null: none
};

/// Opens what the environment asks for. With a device, plans use the host and that device only;
/// all keep their numbers, so that a state has the same name in every command. A profile named
/// is used whatever machine it was measured on. Throws `Error(DeviceUnavailable)` where there is no
/// such device, and what `load_profile` throws.
[[nodiscard]] Machine open_machine(const MachineRequest& request);

/// Throws `UsageError` where --state names a device other than --device.
void check_on_device(const std::optional<State>& state, const std::optional<Space>& device);

/// A trace for that file, or null where there is none. Throws `Error(IoError)` where it is plain
/// already that the file cannot be written.
[[nodiscard]] std::shared_ptr<Trace> trace_for(const std::optional<std::filesystem::path>& file);
/// Writes what was traced; returns the failure of that in words, or an empty text.
[[nodiscard]] std::string write_trace(const std::shared_ptr<Trace>& trace,
                                      const std::optional<std::filesystem::path>& file);

/// The machine that a profile was measured on: `cpu`, `threads`, `devices`.
[[nodiscard]] Json machine_json(const Fingerprint& fingerprint);
/// The same in words.
[[nodiscard]] std::string machine_text(const Fingerprint& fingerprint);

/// Throws `Error(DeviceUnavailable)` where `space` is not among `spaces` of them, the host
/// included.
void check_space(Space space, std::size_t spaces);

/// The profile without the models of all devices but those. What has no model is in no plan.
[[nodiscard]] Profile only_spaces(const Profile& profile, const std::vector<Space>& spaces);

/// `path` (null for the built-in models), `calibrated`, `problem` (null where there is none).
[[nodiscard]] Json profile_json(const Profile& profile, const std::string& problem);

/// How busy the machine was while the profile was measured: `quiet`, `processors`, `average`,
/// `others_before`, `others`, `steal`, `switches_per_second`, `disturbed`. Null if unknown.
[[nodiscard]] Json load_json(const Profile& profile);

/// The profile's origin on one line.
[[nodiscard]] std::string profile_text(const Profile& profile, const std::string& problem);

}  // namespace switchyard::command
