// Power iteration: the eigenvalue of largest magnitude, and its eigenvector.
#pragma once

#include <utility>

#include "solve.hpp"

namespace switchyard::solvers {

struct PowerResult : SolveResult {  // the residual is || A x - lambda x || / |lambda|
  double eigenvalue = 0;
};

/// x, which must not be zero, becomes the eigenvector, of length 1. Where options.rtol is 0, all
/// iterations are made, and the matrix is told how many there will be.
template <Element T>
PowerResult power_iteration(const Runtime& runtime, const GMatrix<T>& A, Vector<T>& x,
                            const SolveOptions& options) {
  Vector<T> y(A.rows());
  PowerResult result;
  if (options.rtol == 0) A.expect_calls(options.max_iterations);
  scale(runtime, T{1} / norm(runtime, x), x);
  while (result.iterations < options.max_iterations && !result.converged) {
    A.multiply(x, y);
    const T eigenvalue = dot(runtime, x, y);
    const T length = norm(runtime, y);
    ++result.iterations;
    result.eigenvalue = eigenvalue;
    if (!std::isfinite(length)) return broken_down(result, length, "");
    result.residual = 0;
    result.converged = length == 0;  // A x = 0: an eigenvector of eigenvalue 0
    if (result.converged) break;
    scale(runtime, T{1} / length, y);
    const T along = eigenvalue / length;
    const auto across = [along](auto yi, auto xi) { return (yi - along * xi) * (yi - along * xi); };
    const T rest = std::sqrt(map_reduce(runtime, across, fold::plus, y, x));  // what is not along x
    result.residual = static_cast<double>(rest) / std::fabs(static_cast<double>(along));
    result.converged = result.residual <= options.rtol;
    std::swap(x, y);  // the vectors stay where they are
  }
  return result;
}

}  // namespace switchyard::solvers
