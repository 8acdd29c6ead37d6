// `switchyard solve`: an iterative method on the adaptive matrix, timed and checked.
#include <CLI/CLI.hpp>
#include <memory>
#include <switchyard/backends/openmp.hpp>
#include <switchyard/backends/operations.hpp>
#include <switchyard/containers/matrix_market.hpp>

#include "command.hpp"
#include "machine.hpp"
#include "solve_check.hpp"
#include "solve_report.hpp"
#include "solvers/bicgstab.hpp"
#include "solvers/conjugate_gradients.hpp"
#include "solvers/gmres.hpp"
#include "solvers/host_matrices.hpp"
#include "solvers/pagerank.hpp"
#include "solvers/power_iteration.hpp"
#include "values.hpp"

namespace switchyard::command {
namespace {

/// All that a method needs but the matrix.
template <Element T>
struct Problem {
  Vector<T> jacobi;
  Vector<T> b;
  Vector<T> x;
  bool known = false;  ///< x should become ones
};

/// The matrix as rows to look at; of a dense one its elements that are not zero.
template <Element T>
Csr<T> rows_of_host(const Storage<T>& storage) {
  if (const auto* csr = std::get_if<Csr<T>>(&storage)) {
    Csr<T> view{csr->rows, csr->cols, csr->nnz, {}, {}, {}};
    const auto look = [&](const auto& offsets) {
      view.offsets = std::remove_cvref_t<decltype(offsets)>::borrow(offsets.span());
    };
    std::visit(look, csr->offsets);
    view.columns = Array<Column>::borrow(csr->columns.span());
    view.values = Array<T>::borrow(csr->values.span());
    return view;
  }
  const auto host = make_host_executor();
  const auto* const convert = find_convert<T>(Format::Dense, Format::Csr, Backend::OpenMP);
  return std::get<Csr<T>>(convert->run(*host, storage));
}

template <Element T>
std::vector<T> right_hand_side(const SolveRequest& request, const Storage<T>& A) {
  if (request.rhs.empty()) {
    const std::vector<T> ones(static_cast<std::size_t>(cols_of(A)), T{1});
    std::vector<T> b;
    for (const ReferenceRow& row : reference_multiply<T>(A, T{1}, ones, T{0}, {})) {
      b.push_back(static_cast<T>(row.value));
    }
    return b;
  }
  const Storage<T> read = read_matrix_market<T>(request.rhs);
  if (cols_of(read) != 1 || rows_of(read) != rows_of(A)) {
    throw Error(ErrorCode::DimensionMismatch,
                "the right-hand side is " + std::to_string(rows_of(read)) + " x " +
                    std::to_string(cols_of(read)) + " and should be " + std::to_string(rows_of(A)) +
                    " x 1",
                request.rhs);
  }
  return only_column(read);
}

/// Looks at the matrix before the runtime takes it: the method, the vectors, and for PageRank the
/// link matrix in its place.
template <Element T>
Problem<T> prepare(SolveReport& report, Storage<T>& A) {
  const SolveRequest& request = report.request;
  if (rows_of(A) != cols_of(A)) {
    throw Error(ErrorCode::DimensionMismatch,
                "a matrix of " + std::to_string(rows_of(A)) + " x " + std::to_string(cols_of(A)) +
                    " is not square",
                request.matrix.text);
  }
  const Csr<T> rows = rows_of_host(A);
  report.choice = request.method ? MethodChoice{*request.method, {}} : choose_method(rows);
  Problem<T> problem{.jacobi = {}, .b = {}, .x = Vector<T>(rows.rows)};
  if (report.choice.method == Method::Pagerank) {
    A = solvers::link_matrix(rows);
  } else if (report.choice.method == Method::Power) {
    problem.x = Vector<T>(std::span<const T>(test_vector<T>(rows.rows)));
  } else {
    problem.jacobi = solvers::inverse_diagonal(rows);
    problem.b = Vector<T>(std::span<const T>(right_hand_side(request, A)));
    problem.known = request.rhs.empty();
  }
  report.structure = exact_structure(A);
  return problem;
}

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
  report.converged = report.breakdown.empty() && report.residual <= request.goal();
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
