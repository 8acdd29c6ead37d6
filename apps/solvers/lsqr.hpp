// LSQR: least squares with a matrix of any shape.
#pragma once

#include "solve.hpp"

namespace switchyard::solvers {

/// Minimises ||b - A x||, from the x that is given. One product with A and one with its transpose
/// in each iteration, so that both are planned for. The residual of the result is that of the
/// normal equations, ||A^T (b - A x)|| / ||A^T b||, as the method itself keeps it: where b is in
/// the range of A or not, it falls to zero. Source: Paige and Saunders, LSQR: An algorithm for
/// sparse linear equations and sparse least squares, 1982.
template <Element T>
SolveResult lsqr(const Runtime& runtime, const GMatrix<T>& A, const Vector<T>& b, Vector<T>& x,
                 const SolveOptions& options) {
  Vector<T> v(A.cols());
  A.multiply_transposed(b, v);
  const double scale = residual_scale(runtime, v);
  Vector<T> u(A.rows());
  copy(runtime, b, u);
  A.multiply(T{-1}, x, T{1}, u);  // u = b - A x
  // Makes a vector one of length 1 and returns what it was, 0 where it was 0.
  const auto normalised = [&](Vector<T>& vector) {
    const T length = norm(runtime, vector);
    if (length > 0) switchyard::scale(runtime, T{1} / length, vector);
    return length;
  };
  T beta = normalised(u);
  A.multiply_transposed(u, v);
  T alpha = normalised(v);
  Vector<T> w(A.cols());
  copy(runtime, v, w);
  T phi_bar = beta;
  T rho_bar = alpha;
  SolveResult result{.residual = static_cast<double>(alpha) * static_cast<double>(beta) / scale};
  while (result.residual > options.rtol && result.iterations < options.max_iterations) {
    A.multiply(T{1}, v, -alpha, u);  // u = A v - alpha u
    beta = normalised(u);
    A.multiply_transposed(T{1}, u, -beta, v);  // v = A^T u - beta v
    alpha = normalised(v);
    const T rho = std::hypot(rho_bar, beta);
    if (rho == 0) return broken_down(result, rho, "A maps the direction of the search to zero");
    const T c = rho_bar / rho;
    const T s = beta / rho;
    axpby(runtime, c * phi_bar / rho, w, T{1}, x);
    axpby(runtime, T{1}, v, -s * alpha / rho, w);
    rho_bar = -c * alpha;
    phi_bar *= s;
    result.residual = static_cast<double>(phi_bar) * static_cast<double>(alpha) *
                      std::fabs(static_cast<double>(c)) / scale;
    ++result.iterations;
  }
  return finished(result, options);
}

}  // namespace switchyard::solvers
