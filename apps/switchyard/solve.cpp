// `switchyard solve`: an iterative method on the adaptive matrix, timed and checked.
#include <CLI/CLI.hpp>
#include <memory>
#include <switchyard/containers/state.hpp>

#include "command.hpp"
#include "machine.hpp"
#include "solve_check.hpp"
#include "solve_problem.hpp"
#include "solve_report.hpp"
#include "solvers/bicgstab.hpp"
#include "solvers/conjugate_gradients.hpp"
#include "solvers/gmres.hpp"
#include "solvers/pagerank.hpp"
#include "solvers/power_iteration.hpp"
#include "values.hpp"

namespace switchyard::command {
namespace {

/// Calls `method(options)` again from where it ended, until it finds nothing to be done: the
/// residual that a method keeps departs from the true one.
template <class Call>
solvers::SolveResult confirmed(solvers::SolveOptions options, const Call& method) {
  solvers::SolveResult result;
  for (;;) {
    const solvers::SolveResult more = method(options);
    const Index iterations = result.iterations + more.iterations;
    result = more;
    result.iterations = iterations;
    options.max_iterations -= more.iterations;
    if (!more.converged || more.iterations == 0 || options.max_iterations <= 0) return result;
  }
}

template <Element T>
solvers::SolveResult run_method(SolveReport& report, const Runtime& runtime, const GMatrix<T>& A,
                                Problem<T>& problem) {
  // A little less than what is asked for, so that rounding of the residual does not matter.
  const solvers::SolveOptions options{.rtol = 0.9 * report.request.goal(),
                                      .max_iterations = report.request.max_iterations,
                                      .restart = report.request.restart};
  const auto solve_with = [&](const auto& method) {
    return confirmed(options, [&](const solvers::SolveOptions& left) {
      return method(runtime, A, problem.jacobi, problem.b, problem.x, left);
    });
  };
  switch (report.choice.method) {
    case Method::Cg:
      return solve_with(solvers::conjugate_gradients<T>);
    case Method::Bicgstab:
      return solve_with(solvers::bicgstab<T>);
    case Method::Gmres:
      return solvers::gmres(runtime, A, problem.jacobi, problem.b, problem.x, options);
    case Method::Pagerank:
      return solvers::pagerank(runtime, A, problem.x, options);
    case Method::Power:
      break;
  }
  const auto result = solvers::power_iteration(runtime, A, problem.x, options);
  report.eigenvalue = result.eigenvalue;
  return result;
}

template <Element T>
double checked_residual(const SolveReport& report, const GMatrix<T>& A, const Problem<T>& problem) {
  const Storage<T> matrix = A.copy_out(A.states().front().format);
  const std::span<const T> x = problem.x.read();
  if (report.choice.method == Method::Pagerank) return pagerank_residual(matrix, x);
  if (report.eigenvalue) return eigen_residual(matrix, x, *report.eigenvalue);
  return true_residual(matrix, x, problem.b.read());
}

template <Element T>
SolveReport solve(const SolveRequest& request) {
  SolveReport report{.request = request};
  Storage<T> storage = load_matrix<T>(request.matrix);
  Problem<T> problem = prepare(report, storage);
  const Machine machine = open_machine(request.device);
  if (request.state) check_space(request.state->space, machine.runtime.executors().size());
  report.profile = machine.runtime.profile();
  report.profile_problem = machine.profile_problem;

  const GMatrix<T> A = machine.runtime.matrix(std::move(storage));
  if (request.state) A.pin(*request.state);
  solvers::SolveResult result;
  report.seconds = seconds_of([&] { result = run_method(report, machine.runtime, A, problem); });
  report.run.history = A.history();
  report.states = A.states();
  report.plan = with_measurements(A.plan(), report.run.history);

  report.iterations = result.iterations;
  report.breakdown = result.breakdown;
  report.residual = checked_residual(report, A, problem);
  report.converged = report.residual <= request.goal();
  // Who breaks down beyond the goal has reached it.
  if (report.converged) report.breakdown.clear();
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
  return {common.json ? json_text(report_document(report)) : report_text(report),
          failure_of(report)};
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
  return [request](const CommonOptions& common) { return run_solve(*request, common); };
}

}  // namespace switchyard::command
