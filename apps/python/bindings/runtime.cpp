// Binding the runtime.
#include "runtime.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "devices_report.hpp"
#include "plan_json.hpp"
#include "unlocked.hpp"

namespace switchyard::python {
namespace {

RuntimeOptions options_for(const RuntimeSettings& settings) {
  if (const auto level = log_level_from_environment()) set_log_level(*level);
  RuntimeOptions options = RuntimeOptions::from_environment();
  if (settings.devices) options.devices = *settings.devices;
  if (settings.profile) options.profile = *settings.profile;
  if (settings.threads) options.threads = *settings.threads;
  if (settings.reproducible) options.reproducible = *settings.reproducible;
  if (settings.host_budget) options.host_budget = settings.host_budget;
  if (settings.device_budget) options.device_budget = settings.device_budget;
  if (settings.trace) options.trace = std::make_shared<Trace>();
  return options;
}

std::string devices_json(const SharedRuntime& shared) {
  const Runtime& runtime = shared.runtime();
  const std::string place = command::profile_place(runtime, shared.options());
  command::Json document = command::devices_document(runtime, place);
  document["text"] = command::devices_text(runtime, place);
  return command::json_text(document);
}

void write_trace(const SharedRuntime& shared, const std::string& file) {
  if (shared.trace()) return shared.trace()->write(file);
  throw Error(ErrorCode::InvalidArgument, "this runtime records no trace", "",
              "make it with trace=True, or use switchyard.trace(path)");
}

}  // namespace

SharedRuntime::SharedRuntime(const RuntimeSettings& settings)
    : options_(options_for(settings)), runtime_(options_) {}

void bind_runtime(nb::module_& module) {
  nb::class_<SharedRuntime>(module, "Runtime", "The devices, the profile and the memory budgets.")
      .def(
          "__init__",
          [](SharedRuntime* self, std::optional<std::string> devices,
             std::optional<std::string> profile, std::optional<int> threads,
             std::optional<bool> reproducible, std::optional<std::size_t> host_budget,
             std::optional<std::size_t> device_budget, bool trace) {
            const RuntimeSettings settings{
                std::move(devices), std::move(profile), threads, reproducible,
                host_budget,        device_budget,      trace};
            const Unlocked scope;
            new (self) SharedRuntime(settings);
          },
          nb::kw_only(), nb::arg("devices").none() = nb::none(),
          nb::arg("profile").none() = nb::none(), nb::arg("threads").none() = nb::none(),
          nb::arg("reproducible").none() = nb::none(), nb::arg("host_budget").none() = nb::none(),
          nb::arg("device_budget").none() = nb::none(), nb::arg("trace") = false)
      .def("devices_json", &devices_json, nb::call_guard<Unlocked>())
      .def(
          "counters_json",
          [](const SharedRuntime& self) {
            return command::counters_json(self.runtime().counters()).text();
          },
          nb::call_guard<Unlocked>())
      .def("profile_problem",
           [](const SharedRuntime& self) { return self.runtime().profile_problem(); })
      .def(
          "use_profile",
          [](SharedRuntime& self, const std::string& file) {
            self.runtime().use_profile(load_profile(file));
          },
          nb::arg("file"), nb::call_guard<Unlocked>())
      .def("write_trace", &write_trace, nb::arg("file"), nb::call_guard<Unlocked>());
}

}  // namespace switchyard::python
