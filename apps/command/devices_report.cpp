// Laying out the host, the devices and the profile.
#include "devices_report.hpp"

#include <switchyard/backends/opencl.hpp>
#include <switchyard/tuning/calibration_load.hpp>

#include "machine.hpp"
#include "models_report.hpp"
#include "table.hpp"

namespace switchyard::command {
namespace {

Json host_json(const ExecutorFacts& facts) {
  return {{"name", facts.name},
          {"vendor", facts.vendor},
          {"threads", facts.compute_units},
          {"memory_bytes", facts.memory_bytes},
          {"cache_bytes", facts.cache_bytes},
          {"driver", facts.driver},
          {"double", facts.supports_double},
          {"space", "host"}};
}

Json device_json(const Executor& executor) {
  const ExecutorFacts& facts = executor.facts();
  return {{"name", facts.name},
          {"vendor", facts.vendor},
          {"driver", facts.driver},
          {"memory_bytes", facts.memory_bytes},
          {"largest_allocation", facts.largest_allocation},
          {"compute_units", facts.compute_units},
          {"gpu", facts.is_gpu},
          {"shares_host_memory", facts.shares_host_memory},
          {"double", facts.supports_double},
          {"space", name(executor.space())}};
}

}  // namespace

std::string profile_place(const Runtime& runtime, const RuntimeOptions& options) {
  const auto profile = runtime.profile();
  if (profile->calibrated && !profile->file.empty()) return profile->file;
  if (options.profile) return *options.profile;
  return runtime.default_profile_path();
}

Json devices_document(const Runtime& runtime, const std::string& place) {
  const std::string problem = runtime.profile_problem();
  Json devices = Json::array();
  for (const auto& executor : runtime.executors()) {
    if (!executor->space().is_host()) devices.push_back(device_json(*executor));
  }
  return {{"host", host_json(runtime.executors().front()->facts())},
          {"devices", devices},
          {"left_out", opencl_left_out()},
          {"profile",
           {{"path", place.empty() ? Json(nullptr) : Json(place)},
            {"fits", problem.empty()},
            {"load", load_json(*runtime.profile())},
            {"built_in_states", built_in_states(*runtime.profile())},
            {"problem", problem.empty() ? Json(nullptr) : Json(problem)}}}};
}

std::string devices_text(const Runtime& runtime, const std::string& place) {
  Table table({{"space"}, {"name"}, {"memory", Align::Right}, {"double"}, {"driver"}});
  for (const auto& executor : runtime.executors()) {
    const ExecutorFacts& facts = executor->facts();
    table.add({name(executor->space()), facts.name,
               format_bytes(static_cast<double>(facts.memory_bytes)),
               facts.supports_double ? "yes" : "no", facts.driver});
  }
  std::string text = table.text();
  if (runtime.executors().size() == 1) text += "There is no OpenCL device.\n";
  for (const std::string& line : opencl_left_out()) text += line + "\n";
  const std::string problem = runtime.profile_problem();
  text += "\nprofile  " + (place.empty() ? "none: neither HOME nor XDG_CONFIG_HOME is set" : place);
  text += problem.empty() ? "\n         fits this machine\n" : "\n         " + problem + "\n";
  if (const std::string busy = busy_text(*runtime.profile()); !busy.empty()) {
    text += folded("         ",
                   "measured under " + busy + "; calibrate again while no other program runs");
  }
  const std::string built_in = built_in_text(built_in_states(*runtime.profile()));
  return built_in.empty() ? text : text + folded("         ", built_in);
}

}  // namespace switchyard::command
