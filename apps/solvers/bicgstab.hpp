// The stabilised method of biconjugate gradients, for matrices that need not be symmetric.
#pragma once

#include "solve.hpp"

namespace switchyard::solvers {

/// Solves A x = b from the x that is given, preconditioned from the right with the diagonal matrix
/// M. Two products in each iteration. Source: van der Vorst, 1992; Saad, Iterative Methods for
/// Sparse Linear Systems, algorithm 7.7.
template <Element T>
SolveResult bicgstab(const Runtime& runtime, const GMatrix<T>& A, const Vector<T>& M,
                     const Vector<T>& b, Vector<T>& x, const SolveOptions& options) {
  const Index n = A.rows();
  Vector<T> r(n);
  Vector<T> shadow(n);
  Vector<T> p(n);
  Vector<T> v(n);
  Vector<T> z(n);
  Vector<T> t(n);
  copy(runtime, b, r);
  A.multiply(T{-1}, x, T{1}, r);  // r = b - A x
  copy(runtime, r, shadow);
  const double scale = residual_scale(runtime, b);
  SolveResult result{.residual = norm(runtime, r) / scale};
  T rho_before = 1;
  T alpha = 1;
  T omega = 1;
  while (result.residual > options.rtol && result.iterations < options.max_iterations) {
    const T rho = dot(runtime, shadow, r);
    if (rho == 0 || !std::isfinite(rho)) return broken_down(result, rho, "r and r0 are orthogonal");
    const T keep = rho / rho_before * (alpha / omega);
    const auto direction = [keep, omega](auto ri, auto pi, auto vi) {
      return ri + keep * (pi - omega * vi);
    };
    map(runtime, p, direction, r, p, v);
    multiply_elements(runtime, M, p, z);
    A.multiply(z, v);
    const T shadow_v = dot(runtime, shadow, v);
    if (shadow_v == 0) return broken_down(result, shadow_v, "A p and r0 are orthogonal");
    alpha = rho / shadow_v;
    axpby(runtime, alpha, z, T{1}, x);
    axpby(runtime, -alpha, v, T{1}, r);
    multiply_elements(runtime, M, r, z);
    A.multiply(z, t);
    const T tt = dot(runtime, t, t);
    omega = tt == 0 ? T{0} : dot(runtime, t, r) / tt;  // t = 0: r is 0, or A is singular
    axpby(runtime, omega, z, T{1}, x);
    axpby(runtime, -omega, t, T{1}, r);
    result.residual = norm(runtime, r) / scale;
    ++result.iterations;
    if (omega == 0 && result.residual > options.rtol) {
      return broken_down(result, omega, "A r and r are orthogonal");
    }
    rho_before = rho;
  }
  return finished(result, options);
}

}  // namespace switchyard::solvers
