// `switchyard multiply`: the main job, made, timed and checked.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <memory>
#include <switchyard/backends/reference.hpp>

#include "command.hpp"
#include "machine.hpp"
#include "matrix_argument.hpp"
#include "multiply_report.hpp"
#include "run.hpp"
#include "values.hpp"

namespace switchyard::command {
namespace {

/// Checks products against the long-double reference, every row of them.
template <Element T>
class Verifier {
 public:
  Verifier(const Storage<T>& storage, std::span<const T> x)
      : expected_(reference_multiply<T>(storage, T{1}, x, T{0}, {})) {}

  /// Spoils y, so that nothing that an earlier product left there passes for this one's.
  static void spoil(std::span<T> y) { std::ranges::fill(y, std::numeric_limits<T>::quiet_NaN()); }
  void check(std::span<const T> y) { worst_ = std::max(worst_, worst_error<T>(expected_, y)); }
  [[nodiscard]] double worst() const noexcept { return worst_; }

 private:
  std::vector<ReferenceRow> expected_;
  double worst_ = 0;
};

/// The products of one matrix: everything that a repetition needs but the matrix itself.
template <Element T>
struct Workload {
  const MultiplyRequest& request;
  std::vector<T> x;
  std::vector<T> y;
  std::optional<Verifier<T>> verifier;

  /// Makes and times the calls. The first and the last are checked, outside the time.
  std::vector<double> make_calls(const GMatrix<T>& matrix) {
    std::vector<double> seconds;
    for (Index call = 0; call < request.calls; ++call) {
      const bool checked = verifier && (call == 0 || call + 1 == request.calls);
      if (checked) verifier->spoil(y);
      seconds.push_back(
          seconds_of([&] { matrix.multiply(std::span<const T>(x), std::span<T>(y)); }));
      if (checked) verifier->check(y);
    }
    return seconds;
  }
};

template <Element T>
Repetition repeat_once(const Runtime& runtime, Workload<T>& workload, Storage<T> storage) {
  const GMatrix<T> matrix = runtime.matrix(std::move(storage));
  if (workload.request.state) matrix.pin(*workload.request.state);
  matrix.expect_calls(workload.request.calls);
  const Plan plan = matrix.plan();
  Run run;
  run.seconds = workload.make_calls(matrix);
  run.history = matrix.history();
  Plan measured = with_run(plan, run);
  return {std::move(measured), std::move(run), matrix.states(), matrix.counters()};
}

/// Repetition after repetition, each on the matrix as it was read; the last takes it over.
template <Element T>
std::vector<Repetition> repeat(const Runtime& runtime, Workload<T>& workload, Storage<T> storage) {
  std::vector<Repetition> repetitions;
  for (Index i = 1; i < workload.request.iterations; ++i) {
    repetitions.push_back(
        repeat_once(runtime, workload, transferred(storage, plain_host_memory())));
  }
  repetitions.push_back(repeat_once(runtime, workload, std::move(storage)));
  return repetitions;
}

void describe_machine(MultiplyReport& report, const Machine& machine) {
  for (const auto& executor : machine.runtime.executors()) {
    const bool used = executor->space().is_host() || !report.request.device ||
                      *report.request.device == executor->space();
    if (used) report.devices.push_back({executor->space(), executor->facts().name});
  }
  report.profile = machine.runtime.profile();
  report.profile_problem = machine.profile_problem;
}

template <Element T>
MultiplyReport measure(const MultiplyRequest& request) {
  MultiplyReport report{.request = request};
  const auto trace = trace_for(request.trace);
  std::optional<Storage<T>> storage;
  report.load_seconds = seconds_of([&] { storage.emplace(load_matrix<T>(request.matrix)); });
  report.structure = exact_structure(*storage);
  std::optional<Machine> machine;
  report.open_seconds = seconds_of([&] { machine.emplace(open_machine(request.device, trace)); });
  describe_machine(report, *machine);
  if (request.state) check_space(request.state->space, machine->runtime.executors().size());

  Workload<T> workload{.request = request,
                       .x = test_vector<T>(report.structure.cols),
                       .y = std::vector<T>(static_cast<std::size_t>(report.structure.rows)),
                       .verifier = {}};
  if (request.verify) workload.verifier.emplace(*storage, workload.x);
  report.repetitions = repeat(machine->runtime, workload, std::move(*storage));
  if (request.verify) report.worst_error = workload.verifier->worst();
  report.trace_failure = write_trace(trace, request.trace);
  return report;
}

void check_request(const MultiplyRequest& request) {
  if (!request.state || !request.device) return;
  const Space space = request.state->space;
  if (space.is_host() || space == *request.device) return;
  throw UsageError("--state " + name(*request.state) + " is not on --device " +
                   std::to_string(request.device->index() - 1));
}

Outcome run_multiply(const MultiplyRequest& request, const CommonOptions& common) {
  check_request(request);
  const MultiplyReport report =
      with_precision(request.precision, [&]<Element T>() { return measure<T>(request); });
  Outcome outcome{common.json ? json_text(report_document(report)) : report_text(report)};
  outcome.failure = report.trace_failure;
  if (!report.verified()) {
    outcome.failure = fmt::format(
        "the result does not verify: an error of {:.3g} times what rounding allows ({}); please "
        "report it",
        *report.worst_error, request.matrix.text);
  }
  return outcome;
}

}  // namespace

Action add_multiply(CLI::App& app) {
  const auto request = std::make_shared<MultiplyRequest>();
  add_matrix(app, request->matrix);
  add_index(app, "--calls", request->calls, 1, "products to make (default 1)");
  app.add_option_function<std::string>(
         "--state",
         [request = request.get()](const std::string& text) {
           request->state.reset();
           if (text != "auto") request->state = parse_state_word(text, "--state");
         },
         "compute in this state whatever the plan would say (default auto)")
      ->type_name("STATE");
  app.add_flag("--verify", request->verify,
               "check every row of the first and the last product against a long-double reference");
  app.add_flag("--timing", request->timing,
               "say more of the time: reading, each repetition, bandwidth");
  add_index(app, "--iterations", request->iterations, 1,
            "make all the calls this many times, each time on the matrix as it was read, and\n"
            "report the repetition of median total time (default 1)");
  add_device(app, request->device, "use the host and this device only; it keeps its number");
  add_precision(app, request->precision);
  add_trace(app, request->trace,
            "write every decision, step and product there, for chrome://tracing or Perfetto;\n"
            "products are waited for meanwhile");
  return [request](const CommonOptions& common) { return run_multiply(*request, common); };
}

}  // namespace switchyard::command
