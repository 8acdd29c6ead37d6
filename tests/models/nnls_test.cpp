// Non-negative least squares against its optimality conditions.
#include "nnls.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "models/synthetic.hpp"

namespace switchyard {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Coefficients solve(const Matrix& a, const Vector& b) {
  return nonnegative_least_squares(Gram(a.transpose() * a), Coefficients(a.transpose() * b));
}

Matrix random_matrix(int rows, int cols, std::uint64_t seed) {
  synthetic::Numbers numbers(seed);
  Matrix matrix(rows, cols);
  for (double& entry : matrix.reshaped()) entry = numbers.normal();
  return matrix;
}

TEST(Nnls, FindsAPositiveSolutionExactly) {
  const Matrix a = random_matrix(20, 4, 1).cwiseAbs();
  const Vector x{{1.0, 2.0, 0.5, 3e-3}};
  const Coefficients found = solve(a, a * x);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(found[k], x[k], 1e-9);
}

TEST(Nnls, ScaleOfColumnsDoesNotMatter) {
  const Matrix a = random_matrix(20, 3, 2).cwiseAbs();
  const Vector x{{1.0, 2.0, 3.0}};
  const Vector scale{{1e-12, 1.0, 1e15}};
  const Coefficients found = solve(a * scale.asDiagonal(), a * x);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(found[k] * scale[k], x[k], 1e-8);
}

// Karush, Kuhn, Tucker: x >= 0, gradient >= 0 where x = 0, gradient = 0 where x > 0.
TEST(Nnls, SatisfiesTheOptimalityConditions) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const int cols = 1 + static_cast<int>(seed % 12);
    const Matrix a = random_matrix(30, cols, 2 * seed);
    const Vector b = random_matrix(30, 1, 2 * seed + 1);
    const Coefficients x = solve(a, b);
    const Vector gradient = a.transpose() * (a * x - b);
    for (int k = 0; k < cols; ++k) {
      EXPECT_GE(x[k], 0);
      EXPECT_GE(gradient[k], -1e-8);
      EXPECT_NEAR(x[k] > 0 ? gradient[k] : 0, 0, 1e-8);
    }
  }
}

TEST(Nnls, DependentAndZeroColumnsDoNoHarm) {
  Matrix a = random_matrix(20, 5, 3).cwiseAbs();
  a.col(2) = 2 * a.col(1);
  a.col(3).setZero();
  a.col(4) = a.col(0) + a.col(1);
  const Vector b = a.col(0) + 3 * a.col(1);
  const Coefficients x = solve(a, b);
  EXPECT_NEAR((a * x - b).norm(), 0, 1e-6);
  EXPECT_GE(x.minCoeff(), 0);
  EXPECT_EQ(x[3], 0);
}

TEST(Nnls, WhatIsNoGramMatrixStillGivesASolution) {
  // Rounding may leave a matrix that is not positive definite. The column that enters second cannot
  // be solved for and stays out.
  Gram gram(2, 2);
  gram << 1, -2, -2, 1;
  const Coefficients x = nonnegative_least_squares(gram, Coefficients::Ones(2));
  EXPECT_EQ(x[0], 1);
  EXPECT_EQ(x[1], 0);
}

TEST(Nnls, AsManyColumnsAsThereMayBeAreAllFound) {
  const Matrix a = random_matrix(60, most_columns, 4).cwiseAbs();
  const Vector x = Vector::LinSpaced(most_columns, 1, 3);
  const Coefficients found = solve(a, a * x);
  for (int k = 0; k < most_columns; ++k) EXPECT_NEAR(found[k], x[k], 1e-8);
}

TEST(Nnls, NothingToFitIsZero) {
  EXPECT_EQ(nonnegative_least_squares(Gram(0, 0), Coefficients(0)).size(), 0);
  EXPECT_EQ(solve(Matrix::Zero(3, 2), Vector::Ones(3)).norm(), 0);
  EXPECT_EQ(solve(Matrix::Ones(3, 2), -Vector::Ones(3)).norm(), 0);
}

}  // namespace
}  // namespace switchyard
