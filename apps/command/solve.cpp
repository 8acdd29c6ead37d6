// `switchyard solve`: an iterative method on the adaptive matrix, timed and checked.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <switchyard/containers/state.hpp>

#include "activity.hpp"
#include "command.hpp"
#include "machine.hpp"
#include "solve_check.hpp"
#include "solve_problem.hpp"
#include "solve_report.hpp"
#include "solve_run.hpp"
#include "values.hpp"
#include "vector_file.hpp"

namespace switchyard::command {
namespace {

template <Element T>
void note_result(SolveReport& report, const MethodResult& result, const GMatrix<T>& A,
                 const Problem<T>& problem) {
  report.run.history = A.history();
  report.states = A.states();
  report.counters = A.counters();
  report.plan = with_measurements(A.plan(), report.run.history);
  report.iterations = result.iterations;
  report.breakdown = result.breakdown;
  report.eigenvalue = result.eigenvalue;
  report.residual = checked_residual(report.choice.method, A.copy_out(A.states().front().format),
                                     problem, result.eigenvalue.value_or(0));
  report.converged = report.residual <= report.request.goal();
  // Who breaks down beyond the goal has reached it.
  if (report.converged) report.breakdown.clear();
  if (problem.known) report.error = distance_from_ones(problem.x.read());
}

template <Element T>
SolveReport solve(const SolveRequest& request, Activity& activity) {
  SolveReport report{.request = request};
  activity.now(loading_words(request.matrix));
  Storage<T> storage = load_matrix<T>(request.matrix);
  Problem<T> problem = prepare(report, storage);
  const auto trace = trace_for(request.trace);
  activity.now("opening the devices");
  const Machine machine = open_machine({request.device, request.profile, trace});
  if (request.state) check_space(request.state->space, machine.runtime.executors().size());
  report.profile = machine.runtime.profile();
  report.profile_problem = machine.profile_problem;

  const GMatrix<T> A = machine.runtime.matrix(std::move(storage));
  if (request.state) A.pin(*request.state);
  // A little less than what is asked for, so that rounding of the residual does not matter.
  const solvers::SolveOptions options{.rtol = 0.9 * request.goal(),
                                      .max_iterations = request.max_iterations,
                                      .restart = request.restart};
  const Method method = report.choice.method;
  MethodResult result;
  activity.now(
      fmt::format("solving with {}, at most {} iterations", name(method), request.max_iterations));
  report.seconds =
      seconds_of([&] { result = run_method(method, machine.runtime, A, problem, options); });
  activity.now("checking the solution");
  note_result(report, result, A, problem);
  if (!request.output.empty()) {
    const std::span<const T> x = problem.x.read();
    report.x = write_vectors<T>(request.output, x, std::ssize(x), 1);
  }
  report.trace_failure = write_trace(trace, request.trace);
  return report;
}

void check_request(const SolveRequest& request) {
  check_on_device(request.state, request.device);
  if (request.matrix.text == standard_stream && request.rhs == standard_stream) {
    throw UsageError("standard input cannot be both the matrix and b", "--rhs");
  }
  if (request.rhs.empty() || !request.method || solves_equations(*request.method)) return;
  throw UsageError("--rhs is for methods that solve equations, not for " +
                   std::string(name(*request.method)));
}

Outcome run_solve(const SolveRequest& request, const CommonOptions& common) {
  check_request(request);
  check_output(request.output, common);
  Activity activity(!common.quiet);
  const SolveReport report =
      with_precision(request.precision, [&]<Element T>() { return solve<T>(request, activity); });
  Outcome outcome =
      outcome_with(common.json ? json_text(report_document(report)) : report_text(report),
                   request.output, report.x, common);
  outcome.failure = failure_of(report);
  if (outcome.failure.empty()) outcome.failure = report.trace_failure;
  return outcome;
}

void add_words(CLI::App& app, SolveRequest& request) {
  const auto method = [&request](const std::string& text) {
    request.method = parse_method(text);
    if (!request.method) {
      throw UsageError("'" + text + "' is no method", "--method",
                       "methods are cg, bicgstab, gmres, power, pagerank");
    }
  };
  const auto rtol = [&request](const std::string& text) {
    request.rtol = parse_real(text, "--rtol");
    if (*request.rtol > 0 && *request.rtol < 1) return;
    throw UsageError("'" + text + "' is not above 0 and below 1", "--rtol");
  };
  app.add_option_function<std::string>(
         "--method", method,
         "cg, bicgstab, gmres, power or pagerank (default: cg for a symmetric matrix with a\n"
         "positive diagonal, else gmres)")
      ->type_name("METHOD");
  app.add_option_function<std::string>("--rtol", rtol,
                                       "relative residual to reach (default 1e-8; 1e-4 in "
                                       "float)")
      ->type_name("R");
  add_state(app, request.state,
            "compute in this state instead of the planner's choice (default auto)");
}

}  // namespace

Action add_solve(CLI::App& app) {
  const auto request = std::make_shared<SolveRequest>();
  add_matrix(app, request->matrix);
  add_words(app, *request);
  add_index(app, "--max-iterations", request->max_iterations, 1,
            "stop after this many iterations (default 10000)");
  add_index(app, "--restart", request->restart, 1,
            "restart GMRES after this many iterations (default 30)");
  app.add_option("--rhs", request->rhs,
                 "b, a file of one column; - for standard input (default: A times ones)")
      ->type_name("FILE");
  app.add_option("--output", request->output,
                 "write x to this Matrix Market file, also if the method does not converge; - for\n"
                 "standard output, the report then going to standard error")
      ->type_name("FILE");
  add_device(app, request->device, "use the host and this device only; it keeps its number");
  add_profile(app, request->profile, "plan with this profile, even if another machine made it");
  add_precision(app, request->precision, double_by_default);
  add_trace(app, request->trace,
            "write every decision, step and call to this file, for chrome://tracing or\nPerfetto; "
            "each call is then waited for");
  return [request](const CommonOptions& common) { return run_solve(*request, common); };
}

}  // namespace switchyard::command
