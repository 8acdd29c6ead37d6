// The generalised method of minimal residuals, restarted, for matrices of any kind.
#pragma once

#include <vector>

#include "solve.hpp"

namespace switchyard::solvers {

/// min || beta e1 - H y || for an upper Hessenberg matrix H that grows by columns, kept triangular
/// with Givens rotations. It is as small as the basis: the host does it beside the products.
class HessenbergProblem {
 public:
  explicit HessenbergProblem(double beta) : right_{beta} {}

  /// Adds column k, of k + 2 elements. Returns the norm that is left.
  double add_column(std::vector<double> column) {
    const std::size_t k = rotations_.size();
    for (std::size_t i = 0; i < k; ++i) rotate(rotations_[i], column[i], column[i + 1]);
    const double length = std::hypot(column[k], column[k + 1]);
    const Rotation rotation =
        length == 0 ? Rotation{1, 0} : Rotation{column[k] / length, column[k + 1] / length};
    rotate(rotation, column[k], column[k + 1]);
    right_.push_back(0);
    rotate(rotation, right_[k], right_[k + 1]);
    rotations_.push_back(rotation);
    columns_.push_back(std::move(column));
    return std::fabs(right_[k + 1]);
  }

  /// y; a direction that A maps to nothing is left out.
  [[nodiscard]] std::vector<double> solution() const {
    std::vector<double> y(columns_.size());
    for (std::size_t i = y.size(); i-- > 0;) {
      double rest = right_[i];
      for (std::size_t j = i + 1; j < y.size(); ++j) rest -= columns_[j][i] * y[j];
      y[i] = columns_[i][i] == 0 ? 0 : rest / columns_[i][i];
    }
    return y;
  }

 private:
  struct Rotation {
    double cosine;
    double sine;
  };
  static void rotate(const Rotation& by, double& upper, double& lower) {
    const double turned = by.cosine * upper + by.sine * lower;
    lower = by.cosine * lower - by.sine * upper;
    upper = turned;
  }

  std::vector<double> right_;
  std::vector<Rotation> rotations_;
  std::vector<std::vector<double>> columns_;
};

/// Makes basis[k + 1] orthogonal to those before it and of length 1 (modified Gram-Schmidt), and
/// returns column k of the Hessenberg matrix.
template <Element T>
std::vector<double> orthogonalize(const Runtime& runtime, std::vector<Vector<T>>& basis,
                                  std::size_t k) {
  std::vector<double> column;
  Vector<T>& w = basis[k + 1];
  for (std::size_t i = 0; i <= k; ++i) {
    const T along = dot(runtime, w, basis[i]);
    axpby(runtime, -along, basis[i], T{1}, w);
    column.push_back(along);
  }
  const T length = norm(runtime, w);
  if (length > 0) scale(runtime, T{1} / length, w);
  column.push_back(length);
  return column;
}

/// Solves A x = b from the x that is given, preconditioned from the right with the diagonal matrix
/// M. Source: Saad and Schultz, 1986; Saad, Iterative Methods for Sparse Linear Systems, algorithm
/// 9.5.
template <Element T>
SolveResult gmres(const Runtime& runtime, const GMatrix<T>& A, const Vector<T>& M,
                  const Vector<T>& b, Vector<T>& x, const SolveOptions& options) {
  Vector<T> z(A.rows());
  Vector<T> w(A.rows());
  std::vector<Vector<T>> basis;
  basis.emplace_back(A.rows());
  const auto restart = static_cast<std::size_t>(options.restart);
  const double scale_of_b = residual_scale(runtime, b);
  SolveResult result;
  for (;;) {
    copy(runtime, b, basis[0]);
    A.multiply(T{-1}, x, T{1}, basis[0]);  // b - A x
    const T beta = norm(runtime, basis[0]);
    result.residual = static_cast<double>(beta) / scale_of_b;
    if (!std::isfinite(beta)) return broken_down(result, beta, "");
    const bool enough = result.iterations >= options.max_iterations;
    if (enough || result.residual <= options.rtol) return finished(result, options);
    scale(runtime, T{1} / beta, basis[0]);
    HessenbergProblem small(beta);
    std::size_t k = 0;
    for (double left = result.residual;
         k < restart && left > options.rtol && result.iterations < options.max_iterations;
         ++k, ++result.iterations) {
      if (basis.size() == k + 1) basis.emplace_back(A.rows());
      multiply_elements(runtime, M, basis[k], z);
      A.multiply(z, basis[k + 1]);
      const auto column = orthogonalize(runtime, basis, k);
      left = small.add_column(column) / scale_of_b;
      if (column.back() == 0) left = 0;  // the basis is complete
    }
    const std::vector<double> y = small.solution();
    fill(runtime, T{0}, w);
    for (std::size_t i = 0; i < k; ++i) {
      axpby(runtime, static_cast<T>(y[i]), basis[i], T{1}, w);
    }
    map(
        runtime, x, [](auto xi, auto mi, auto wi) { return xi + mi * wi; }, x, M, w);
  }
}

}  // namespace switchyard::solvers
