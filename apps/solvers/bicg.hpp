// The method of biconjugate gradients, which needs the transpose.
#pragma once

#include "solve.hpp"

namespace switchyard::solvers {

/// Solves A x = b from the x that is given, preconditioned with the diagonal matrix M. One product
/// with A and one with its transpose in each iteration. Source: Fletcher, 1976; Saad, Iterative
/// Methods for Sparse Linear Systems, algorithm 7.3.
template <Element T>
SolveResult bicg(const Runtime& runtime, const GMatrix<T>& A, const Vector<T>& M,
                 const Vector<T>& b, Vector<T>& x, const SolveOptions& options) {
  const Index n = A.rows();
  Vector<T> r(n);
  Vector<T> shadow(n);
  Vector<T> p(n);
  Vector<T> shadow_p(n);
  Vector<T> q(n);
  copy(runtime, b, r);
  A.multiply(T{-1}, x, T{1}, r);  // r = b - A x
  copy(runtime, r, shadow);
  const double scale = residual_scale(runtime, b);
  SolveResult result{.residual = norm(runtime, r) / scale};
  T rho_before = 0;
  while (result.residual > options.rtol && result.iterations < options.max_iterations) {
    const T rho = map_reduce(runtime, weighted_product, fold::plus, M, r, shadow);
    if (rho == 0 || !std::isfinite(rho))
      return broken_down(result, rho, "r and its shadow are orthogonal");
    const T keep = result.iterations == 0 ? T{0} : rho / rho_before;
    map(runtime, p, preconditioned_direction(keep), M, r, p);  // p = M r + keep p
    map(runtime, shadow_p, preconditioned_direction(keep), M, shadow, shadow_p);
    A.multiply(p, q);
    const T pq = dot(runtime, shadow_p, q);
    if (pq == 0) return broken_down(result, pq, "A p and the shadow of p are orthogonal");
    const T alpha = rho / pq;
    axpby(runtime, alpha, p, T{1}, x);
    axpby(runtime, -alpha, q, T{1}, r);
    A.multiply_transposed(-alpha, shadow_p, T{1}, shadow);
    result.residual = norm(runtime, r) / scale;
    rho_before = rho;
    ++result.iterations;
  }
  return finished(result, options);
}

}  // namespace switchyard::solvers
