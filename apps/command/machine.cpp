// Opening the runtime, for one device or all.
#include "machine.hpp"

#include <algorithm>
#include <switchyard/containers/output_file.hpp>
#include <utility>

#include "command.hpp"

namespace switchyard::command {

void check_space(Space space, std::size_t spaces) {
  if (static_cast<std::size_t>(space.index()) < spaces) return;
  throw Error(ErrorCode::DeviceUnavailable, "there is no such device", name(space),
              "'switchyard devices' lists those that there are");
}

Profile only_spaces(const Profile& profile, const std::vector<Space>& spaces) {
  const auto wanted = [&](Space space) {
    return space.is_host() || std::ranges::find(spaces, space) != spaces.end();
  };
  std::vector<CostModel> models;
  for (const CostModel& model : profile.models()) {
    if (wanted(model.key.from.space) && wanted(model.key.to.space)) models.push_back(model);
  }
  return profile.with(profile.fingerprint(), std::move(models));
}

Machine open_machine(const MachineRequest& request) {
  RuntimeOptions options = RuntimeOptions::from_environment();
  options.trace = request.trace;
  Runtime runtime(options);
  std::string problem = runtime.profile_problem();
  if (request.profile) {
    runtime.use_profile(load_profile(*request.profile));
    problem.clear();
  }
  if (request.device) {
    check_space(*request.device, runtime.executors().size());
    runtime.use_profile(only_spaces(*runtime.profile(), {*request.device}));
  }
  return {std::move(runtime), std::move(problem)};
}

void check_on_device(const std::optional<State>& state, const std::optional<Space>& device) {
  if (!state || !device || state->space.is_host() || state->space == *device) return;
  throw UsageError("--state " + name(*state) + " is not on --device " +
                   std::to_string(device->index() - 1));
}

std::shared_ptr<Trace> trace_for(const std::optional<std::filesystem::path>& file) {
  if (!file) return nullptr;
  // What is no regular file may be a pipe, whose reader would see it close.
  std::error_code failure;
  const auto status = std::filesystem::status(*file, failure);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) {
    const OutputFile can_be_opened(*file);
  }
  return std::make_shared<Trace>();
}

std::string write_trace(const std::shared_ptr<Trace>& trace,
                        const std::optional<std::filesystem::path>& file) {
  if (!trace) return {};
  try {
    trace->write(*file);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

Json machine_json(const Fingerprint& fingerprint) {
  Json devices = Json::array();
  for (const auto& device : fingerprint.devices) {
    devices.push_back({{"name", device.name}, {"driver", device.driver}});
  }
  return {{"cpu", fingerprint.cpu}, {"threads", fingerprint.threads}, {"devices", devices}};
}

std::string machine_text(const Fingerprint& fingerprint) {
  std::string text = fingerprint.cpu + ", " + std::to_string(fingerprint.threads) +
                     (fingerprint.threads == 1 ? " thread" : " threads");
  for (std::size_t k = 0; k < fingerprint.devices.size(); ++k) {
    text += "; device" + std::to_string(k) + " " + fingerprint.devices[k].name;
  }
  return text;
}

Json profile_json(const Profile& profile, const std::string& problem) {
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
  };
  return {{"path", text_or_null(profile.file)},
          {"calibrated", profile.calibrated},
          {"problem", text_or_null(problem)}};
}

Json load_json(const Profile& profile) {
  if (!profile.load) return nullptr;
  const CalibrationLoad& load = *profile.load;
  return {{"quiet", is_quiet(load, profile.fingerprint().threads)},
          {"processors", load.processors},
          {"average", load.average},
          {"others_before", load.others_before},
          {"others", load.others},
          {"steal", load.steal},
          {"switches_per_second", load.switches_per_second},
          {"disturbed", load.disturbed}};
}

std::string profile_text(const Profile& profile, const std::string& problem) {
  if (profile.calibrated) return profile.file;
  return "built-in models" + (problem.empty() ? "" : ": " + problem);
}

}  // namespace switchyard::command
