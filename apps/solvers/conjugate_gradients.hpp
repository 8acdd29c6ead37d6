// The method of conjugate gradients, for symmetric positive definite matrices.
#pragma once

#include "solve.hpp"

namespace switchyard::solvers {

/// Solves A x = b from the x that is given, preconditioned with the diagonal matrix M (Jacobi's, as
/// `inverse_diagonal` makes it). Source: Hestenes and Stiefel, 1952; Saad, Iterative Methods for
/// Sparse Linear Systems, algorithm 9.1.
template <Element T>
SolveResult conjugate_gradients(const Runtime& runtime, const GMatrix<T>& A, const Vector<T>& M,
                                const Vector<T>& b, Vector<T>& x, const SolveOptions& options) {
  const Index n = A.rows();
  Vector<T> r(n);
  Vector<T> p(n);
  Vector<T> q(n);
  copy(runtime, b, r);
  A.multiply(T{-1}, x, T{1}, r);  // r = b - A x
  const double scale = residual_scale(runtime, b);
  SolveResult result{.residual = norm(runtime, r) / scale};
  T rz_before = 0;
  while (result.residual > options.rtol && result.iterations < options.max_iterations) {
    const T rz = map_reduce(runtime, weighted_square, fold::plus, M, r);  // r . M r
    if (!(rz > 0)) return broken_down(result, rz, "the preconditioner is not positive definite");
    const T keep = result.iterations == 0 ? T{0} : rz / rz_before;
    map(runtime, p, preconditioned_direction(keep), M, r, p);  // p = M r + keep p
    A.multiply(p, q);
    const T pq = dot(runtime, p, q);
    if (!(pq > 0)) return broken_down(result, pq, "the matrix is not positive definite");
    axpby(runtime, rz / pq, p, T{1}, x);
    axpby(runtime, -rz / pq, q, T{1}, r);
    rz_before = rz;
    result.residual = norm(runtime, r) / scale;
    ++result.iterations;
  }
  return finished(result, options);
}

}  // namespace switchyard::solvers
