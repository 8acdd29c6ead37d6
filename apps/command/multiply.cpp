// `switchyard multiply`: the main job, made, timed and checked.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <switchyard/backends/reference.hpp>

#include "activity.hpp"
#include "command.hpp"
#include "machine.hpp"
#include "matrix_argument.hpp"
#include "multiply_report.hpp"
#include "run.hpp"
#include "values.hpp"
#include "vector_file.hpp"

namespace switchyard::command {
namespace {

/// Checks products against the long-double reference, every row of them.
template <Element T>
class Verifier {
 public:
  Verifier(const Storage<T>& storage, std::span<const T> x, const Request& product)
      : expected_(reference_multiply<T>(storage, T{1}, x, T{0}, {}, product)) {}

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
  Activity& activity;

  /// Makes and times the calls. The first and the last are checked, outside the time.
  std::vector<double> make_calls(const GMatrix<T>& matrix) {
    std::vector<double> seconds;
    for (Index call = 0; call < request.calls; ++call) {
      activity.count(call, request.calls);
      const bool checked = verifier && (call == 0 || call + 1 == request.calls);
      if (checked) verifier->spoil(y);
      seconds.push_back(seconds_of([&] { multiply_once<T>(matrix, request.product, x, y); }));
      if (checked) verifier->check(y);
    }
    return seconds;
  }
};

template <Element T>
Repetition repeat_once(const Runtime& runtime, Workload<T>& workload, Storage<T> storage) {
  const GMatrix<T> matrix = runtime.matrix(std::move(storage));
  if (!workload.request.from.empty()) stand_in(matrix, workload.request.from);
  const auto steps_before = static_cast<std::ptrdiff_t>(matrix.history().size());
  if (workload.request.state) matrix.pin(*workload.request.state);
  expect_calls(matrix, workload.request.product, workload.request.calls);
  const Plan plan = matrix.plan(workload.request.product);
  Run run;
  run.seconds = workload.make_calls(matrix);
  run.history = matrix.history();
  run.history.erase(run.history.begin(), run.history.begin() + steps_before);
  Plan measured = with_run(plan, run);
  return {std::move(measured), std::move(run), matrix.states(), matrix.counters()};
}

/// Repetition after repetition, each on the matrix as it was read; the last takes it over.
template <Element T>
std::vector<Repetition> repeat(const Runtime& runtime, Workload<T>& workload, Storage<T> storage) {
  std::vector<Repetition> repetitions;
  for (Index i = 1; i < workload.request.iterations; ++i) {
    workload.activity.now(fmt::format("multiplying, repetition {}", i));
    repetitions.push_back(
        repeat_once(runtime, workload, transferred(storage, plain_host_memory())));
  }
  workload.activity.now("multiplying");
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

Index x_rows(const MultiplyRequest& request, const Structure& structure) {
  return request.product.operand == Operand::Transpose ? structure.rows : structure.cols;
}
Index y_rows(const MultiplyRequest& request, const Structure& structure) {
  return request.product.operand == Operand::Transpose ? structure.cols : structure.rows;
}

/// The vectors, x being read where a file is given.
template <Element T>
Workload<T> workload_for(const MultiplyRequest& request, const Structure& structure,
                         Activity& activity) {
  const auto [rows, cols] = std::pair(structure.rows, structure.cols);
  check_columns(request.product, rows, cols);
  std::vector<T> x = request.x.empty() ? test_vector<T>(x_size(request.product, rows, cols))
                                       : read_vectors<T>(request.x, "x", x_rows(request, structure),
                                                         request.product.columns);
  return {.request = request,
          .x = std::move(x),
          .y = std::vector<T>(static_cast<std::size_t>(y_size(request.product, rows, cols))),
          .verifier = {},
          .activity = activity};
}

template <Element T>
MultiplyReport measure(const MultiplyRequest& request, Activity& activity) {
  MultiplyReport report{.request = request};
  const auto trace = trace_for(request.trace);
  activity.now(loading_words(request.matrix));
  std::optional<Storage<T>> storage;
  report.load_seconds = seconds_of([&] { storage.emplace(load_matrix<T>(request.matrix)); });
  report.structure = exact_structure(*storage);
  std::optional<Machine> machine;
  activity.now("opening the devices");
  report.open_seconds = seconds_of([&] {
    machine.emplace(open_machine({request.device, request.profile, trace}));
  });
  describe_machine(report, *machine);
  const std::size_t spaces = machine->runtime.executors().size();
  if (request.state) check_space(request.state->space, spaces);
  for (const State state : request.from) check_space(state.space, spaces);

  activity.now("preparing x and y");
  Workload<T> workload = workload_for<T>(request, report.structure, activity);
  if (request.verify) {
    activity.now("computing the reference");
    workload.verifier.emplace(*storage, workload.x, request.product);
  }
  report.repetitions = repeat(machine->runtime, workload, std::move(*storage));
  if (request.verify) {
    report.worst_error = workload.verifier->worst();
    report.not_finite =
        std::ranges::count_if(workload.y, [](T value) { return !std::isfinite(value); });
  }
  if (!request.output.empty() && report.verified()) {
    activity.now("writing " + request.output);
    report.y = write_vectors<T>(request.output, workload.y, y_rows(request, report.structure),
                                request.product.columns);
  }
  report.trace_failure = write_trace(trace, request.trace);
  return report;
}

Outcome run_multiply(const MultiplyRequest& request, const CommonOptions& common) {
  check_on_device(request.state, request.device);
  check_output(request.output, common);
  if (request.matrix.text == standard_stream && request.x == standard_stream) {
    throw UsageError("standard input cannot be both the matrix and x", "--x");
  }
  Activity activity(!common.quiet);
  const MultiplyReport report =
      with_precision(request.precision, [&]<Element T>() { return measure<T>(request, activity); });
  Outcome outcome =
      outcome_with(common.json ? json_text(report_document(report)) : report_text(report),
                   request.output, report.y, common);
  outcome.failure = report.trace_failure;
  if (!report.verified()) {
    outcome.failure = fmt::format(
        "the result does not verify: its largest error is {:.3g} times the rounding bound ({}); "
        "please report it as a bug",
        *report.worst_error, request.matrix.text);
  }
  return outcome;
}

void add_vectors(CLI::App& app, MultiplyRequest& request) {
  app.add_option("--x", request.x,
                 "x, a file of one row for each of the matrix's columns, or of its rows with\n"
                 "--transposed, and of K columns; - for standard input (default: numbers in\n"
                 "[-1, 1), always the same)")
      ->type_name("FILE");
  app.add_option("--output", request.output,
                 "write y to this Matrix Market file, unless it does not verify; - for standard\n"
                 "output, the report then going to standard error")
      ->type_name("FILE");
}

void add_flags(CLI::App& app, MultiplyRequest& request) {
  app.add_flag("--verify", request.verify,
               "check every row of the first and the last result against a long-double reference");
  app.add_flag("--timing", request.timing,
               "also show the time to read the matrix, each repetition's time, and the bandwidth");
}

}  // namespace

Action add_multiply(CLI::App& app) {
  const auto request = std::make_shared<MultiplyRequest>();
  add_matrix(app, request->matrix);
  add_index(app, "--calls", request->calls, 1,
            "how many times to multiply; also the call-count hint (default 1)");
  add_request(app, request->product);
  add_vectors(app, *request);
  add_state(app, request->state,
            "compute in this state instead of the planner's choice (default auto)");
  add_from(app, request->from);
  add_flags(app, *request);
  add_index(app, "--iterations", request->iterations, 1,
            "repeat all calls this many times, each time on the matrix as it was read, and report\n"
            "the repetition with the median total time (default 1)");
  add_device(app, request->device, "use the host and this device only; it keeps its number");
  add_profile(app, request->profile, "plan with this profile, even if another machine made it");
  add_precision(app, request->precision, float_by_default);
  add_trace(app, request->trace,
            "write every decision, step and call to this file, for chrome://tracing or\nPerfetto; "
            "each call is then waited for");
  return [request](const CommonOptions& common) { return run_multiply(*request, common); };
}

}  // namespace switchyard::command
