// What the iterative methods share: when they stop, and how they ended.
#pragma once

#include <cmath>
#include <string>
#include <switchyard/switchyard.hpp>

namespace switchyard::solvers {

struct SolveOptions {
  double rtol = 1e-6;  ///< stop where the residual is this small; 0: make all iterations
  Index max_iterations = 1000;
  Index restart = 30;  ///< iterations after which GMRES begins anew
};

struct SolveResult {
  Index iterations = 0;
  double residual = 0;  ///< ||b - A x|| / ||b||, as the method itself keeps it
  bool converged = false;
  std::string breakdown = {};  ///< why the method could not go on, where it could not
};

/// The result of a method that would have to divide by a number that must not be what it is.
template <class Result>
Result broken_down(Result result, double number, const std::string& why) {
  result.breakdown = std::isfinite(number) ? why : "the numbers are not finite any more";
  return result;
}

/// The result of one that has come to its end.
inline SolveResult finished(SolveResult result, const SolveOptions& options) {
  if (!std::isfinite(result.residual)) return broken_down(result, result.residual, "");
  result.converged = result.residual <= options.rtol;
  return result;
}

/// What the residual of A x = b is measured by: ||b||, or 1 where b is zero.
template <Element T>
[[nodiscard]] double residual_scale(const Runtime& runtime, const Vector<T>& b) {
  const double scale = norm(runtime, b);
  return scale == 0 ? 1 : scale;
}

/// m r s: added up, the product of r and s with the diagonal matrix m between them.
inline constexpr auto weighted_product = [](auto m, auto r, auto s) { return m * r * s; };
/// The same of r with itself.
inline constexpr auto weighted_square = [](auto m, auto r) { return m * r * r; };

/// m r + keep p: the next direction of a search, from the residual and the last one.
template <Element T>
[[nodiscard]] auto preconditioned_direction(T keep) {
  return [keep](auto m, auto r, auto p) { return m * r + keep * p; };
}

}  // namespace switchyard::solvers
