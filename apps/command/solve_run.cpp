// From the name of a method to its call.
#include "solve_run.hpp"

#include "solve_check.hpp"
#include "solvers/bicgstab.hpp"
#include "solvers/conjugate_gradients.hpp"
#include "solvers/gmres.hpp"
#include "solvers/pagerank.hpp"
#include "solvers/power_iteration.hpp"

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

}  // namespace

template <Element T>
MethodResult run_method(Method method, const Runtime& runtime, const GMatrix<T>& A,
                        Problem<T>& problem, const solvers::SolveOptions& options) {
  const auto solve_with = [&](const auto& call) -> MethodResult {
    return {confirmed(options, [&](const solvers::SolveOptions& left) {
      return call(runtime, A, problem.jacobi, problem.b, problem.x, left);
    })};
  };
  switch (method) {
    case Method::Cg:
      return solve_with(solvers::conjugate_gradients<T>);
    case Method::Bicgstab:
      return solve_with(solvers::bicgstab<T>);
    case Method::Gmres:
      return {solvers::gmres(runtime, A, problem.jacobi, problem.b, problem.x, options)};
    case Method::Pagerank:
      return {solvers::pagerank(runtime, A, problem.x, options)};
    case Method::Power:
      break;
  }
  const auto result = solvers::power_iteration(runtime, A, problem.x, options);
  return {result, result.eigenvalue};
}

template <Element T>
double checked_residual(Method method, const Storage<T>& A, const Problem<T>& problem,
                        double eigenvalue) {
  const std::span<const T> x = problem.x.read();
  if (method == Method::Pagerank) return pagerank_residual(A, x);
  if (method == Method::Power) return eigen_residual(A, x, eigenvalue);
  return true_residual(A, x, problem.b.read());
}

template MethodResult run_method(Method, const Runtime&, const GMatrix<float>&, Problem<float>&,
                                 const solvers::SolveOptions&);
template MethodResult run_method(Method, const Runtime&, const GMatrix<double>&, Problem<double>&,
                                 const solvers::SolveOptions&);
template double checked_residual(Method, const Storage<float>&, const Problem<float>&, double);
template double checked_residual(Method, const Storage<double>&, const Problem<double>&, double);

}  // namespace switchyard::command
