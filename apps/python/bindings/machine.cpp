// What there is to say about this machine, and measuring it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <array>
#include <exception>
#include <switchyard/core/outlook.hpp>
#include <switchyard/tuning/calibrate.hpp>

#include "bindings.hpp"
#include "doctor/all.hpp"
#include "doctor/report.hpp"
#include "models_report.hpp"
#include "runtime.hpp"
#include "unlocked.hpp"

namespace switchyard::python {
namespace {

namespace doctor = command::doctor;
using command::Json;

std::string doctor_json() {
  const std::vector<doctor::Entry> entries = doctor::check_all([](const std::string&) {});
  Json document = doctor::report_document(entries);
  document["text"] = doctor::report_text(entries, false);
  return command::json_text(document);
}

struct CalibrationRequest {
  std::string effort;
  double budget_seconds = 0;
  std::optional<int> device;
  std::string output;
  bool resume = false;
};

Effort parsed_effort(const std::string& text) {
  if (text == "quick") return Effort::Quick;
  return text == "thorough" ? Effort::Thorough : Effort::Standard;
}

/// Tells a Python function how far a calibration is, and asks Python whether to go on. Whatever
/// Python throws ends the calibration, and is thrown again after it.
class Listener {
 public:
  explicit Listener(nb::callable tell) : tell_(std::move(tell)) {}

  void progress(const CalibrationProgress& at) noexcept {
    const nb::gil_scoped_acquire locked;
    try {
      tell_(at.what, at.done, at.total, at.seconds, at.seconds_left);
    } catch (...) {
      thrown_ = std::current_exception();
    }
  }
  [[nodiscard]] bool interrupted() noexcept {
    if (thrown_) return true;
    const nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() == 0) return false;
    try {
      nb::raise_python_error();
    } catch (...) {
      thrown_ = std::current_exception();
    }
    return true;
  }
  /// REQUIRES: the lock is held.
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  nb::callable tell_;
  std::exception_ptr thrown_;
};

CalibrationResult measure(const Runtime& runtime, const CalibrationRequest& request,
                          Listener& listener) {
  CalibrationOptions options;
  options.effort = parsed_effort(request.effort);
  options.budget_seconds = request.budget_seconds;
  if (request.device) options.device = Space::device(*request.device);
  options.checkpoint = request.output + ".partial";
  options.resume = request.resume;
  options.save = [&](const Profile& profile) { save_profile(profile, request.output); };
  options.progress = [&](const CalibrationProgress& at) { listener.progress(at); };
  options.interrupted = [&] { return listener.interrupted(); };
  return calibrate(runtime.executors(), runtime.fingerprint(), options);
}

std::string calibrate_json(SharedRuntime& shared, const CalibrationRequest& request,
                           nb::callable tell) {
  Listener listener(std::move(tell));
  Runtime& runtime = shared.runtime();
  auto result =
      unlocked([&] { return measure(runtime, request, listener); }, Unlocked::Forks::Pass);
  listener.rethrow();
  Json document = command::models_document(result, request.output);
  document["text"] = command::models_text(result, request.output, false);
  // Of one that ended before the first product, nothing is used, here or by a later runtime.
  if (knows_products(result.profile)) runtime.use_profile(std::move(result.profile));
  return command::json_text(document);
}

}  // namespace

void bind_machine(nb::module_& module) {
  module.def("doctor_json", &doctor_json, nb::call_guard<Unlocked>());
  module.def("default_profile_path", [](const SharedRuntime& shared) {
    return shared.options().profile.value_or(shared.runtime().default_profile_path());
  });
  module.def(
      "calibrate_json",
      [](SharedRuntime& runtime, const std::string& effort, double budget_seconds,
         std::optional<int> device, const std::string& output, bool resume, nb::callable tell) {
        return calibrate_json(runtime, {effort, budget_seconds, device, output, resume},
                              std::move(tell));
      },
      nb::arg("runtime"), nb::kw_only(), nb::arg("effort"), nb::arg("budget_seconds"),
      nb::arg("device").none(), nb::arg("output"), nb::arg("resume"), nb::arg("tell"),
      "Measures, writes the profile and uses it; `tell` gets (what, done, total, seconds, left).");
}

}  // namespace switchyard::python
