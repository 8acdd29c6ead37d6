// `switchyard solve`: an iterative method on the adaptive matrix, timed and checked.
#include <CLI/CLI.hpp>
#include <memory>
#include <switchyard/containers/state.hpp>

#include "command.hpp"
#include "machine.hpp"
#include "solve_check.hpp"
#include "solve_problem.hpp"
#include "solve_report.hpp"
#include "solve_run.hpp"
#include "values.hpp"

namespace switchyard::command {
namespace {

template <Element T>
SolveReport solve(const SolveRequest& request) {
  SolveReport report{.request = request};
  Storage<T> storage = load_matrix<T>(request.matrix);
  Problem<T> problem = prepare(report, storage);
  const auto trace = trace_for(request.trace);
  const Machine machine = open_machine(request.device, trace);
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
  report.seconds =
      seconds_of([&] { result = run_method(method, machine.runtime, A, problem, options); });
  report.run.history = A.history();
  report.states = A.states();
  report.counters = A.counters();
  report.plan = with_measurements(A.plan(), report.run.history);

  report.iterations = result.iterations;
  report.breakdown = result.breakdown;
  report.eigenvalue = result.eigenvalue;
  report.residual = checked_residual(method, A.copy_out(A.states().front().format), problem,
                                     result.eigenvalue.value_or(0));
  report.converged = report.residual <= request.goal();
  // Who breaks down beyond the goal has reached it.
  if (report.converged) report.breakdown.clear();
  report.trace_failure = write_trace(trace, request.trace);
  if (problem.known) report.error = distance_from_ones(problem.x.read());
  return report;
}

void check_request(const SolveRequest& request) {
  if (request.state && request.device && !request.state->space.is_host() &&
      request.state->space != *request.device) {
    throw UsageError("--state " + name(*request.state) + " is not on --device " +
                     std::to_string(request.device->index() - 1));
  }
  if (request.rhs.empty() || !request.method || solves_equations(*request.method)) return;
  throw UsageError("--rhs is for methods that solve equations, not for " +
                   std::string(name(*request.method)));
}

Outcome run_solve(const SolveRequest& request, const CommonOptions& common) {
  check_request(request);
  const SolveReport report =
      with_precision(request.precision, [&]<Element T>() { return solve<T>(request); });
  const std::string failure = failure_of(report);
  return {common.json ? json_text(report_document(report)) : report_text(report),
          failure.empty() ? report.trace_failure : failure};
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
  const auto state = [&request](const std::string& text) {
    request.state.reset();
    if (text != "auto") request.state = parse_state_word(text, "--state");
  };
  app.add_option_function<std::string>(
         "--method", method,
         "cg, bicgstab, gmres, power or pagerank (default: cg for symmetric matrices with a\n"
         "positive diagonal, else gmres)")
      ->type_name("METHOD");
  app.add_option_function<std::string>("--rtol", rtol,
                                       "the relative residual to reach (default 1e-8; 1e-4 in "
                                       "float)")
      ->type_name("R");
  app.add_option_function<std::string>(
         "--state", state, "compute in this state whatever the plan would say (default auto)")
      ->type_name("STATE");
}

}  // namespace

Action add_solve(CLI::App& app) {
  const auto request = std::make_shared<SolveRequest>();
  add_matrix(app, request->matrix);
  add_words(app, *request);
  add_index(app, "--max-iterations", request->max_iterations, 1,
            "give up after so many iterations (default 10000)");
  add_index(app, "--restart", request->restart, 1, "begin GMRES anew after so many (default 30)");
  app.add_option("--rhs", request->rhs,
                 "b, a Matrix Market file of one column (default: A times ones)")
      ->type_name("FILE");
  add_device(app, request->device, "use the host and this device only; it keeps its number");
  add_precision(app, request->precision);
  add_trace(app, request->trace,
            "write every decision, step and product there, for chrome://tracing or Perfetto;\n"
            "products are waited for meanwhile");
  return [request](const CommonOptions& common) { return run_solve(*request, common); };
}

}  // namespace switchyard::command
