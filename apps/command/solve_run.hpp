// Running an iterative method on a problem, and checking what it came to.
#pragma once

#include <optional>
#include <switchyard/core/runtime.hpp>

#include "solve_problem.hpp"
#include "solvers/solve.hpp"

namespace switchyard::command {

struct MethodResult : solvers::SolveResult {
  std::optional<double> eigenvalue = {};  ///< of `power`
};

/// Runs the method on the problem, whose x becomes the answer. Where the residual that a method
/// keeps by itself is small enough, it is begun again until the true one is. Throws what products
/// throw.
template <Element T>
[[nodiscard]] MethodResult run_method(Method method, const Runtime& runtime, const GMatrix<T>& A,
                                      Problem<T>& problem, const solvers::SolveOptions& options);

/// The true residual of the problem's x, of the kind that fits the method (see solve_check.hpp).
/// `eigenvalue` is for `power`. REQUIRES: A in host memory.
template <Element T>
[[nodiscard]] double checked_residual(Method method, const Storage<T>& A, const Problem<T>& problem,
                                      double eigenvalue);

}  // namespace switchyard::command
