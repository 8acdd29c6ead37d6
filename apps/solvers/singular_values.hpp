// The largest singular values of a matrix, by block power iteration.
#pragma once

#include <Eigen/QR>
#include <Eigen/SVD>
#include <random>
#include <switchyard/switchyard.hpp>
#include <vector>

namespace switchyard::solvers {

template <Element T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Replaces the columns of `block` by orthonormal ones that span the same, on the host, and returns
/// the triangular factor. REQUIRES: at least as many rows as columns.
template <Element T>
Rows<T> orthonormalise(MultiVector<T>& block) {
  Eigen::Map<Rows<T>> columns(block.write().data(), block.rows(), block.columns());
  const Eigen::HouseholderQR<Rows<T>> factors(columns);
  const Index k = block.columns();
  columns = factors.householderQ() * Rows<T>::Identity(block.rows(), k);
  return factors.matrixQR().topRows(k).template triangularView<Eigen::Upper>();
}

/// Approximations of the `count` largest singular values, falling, after that many iterations of a
/// block that is drawn with `seed`. The matrix is told how many products there will be. REQUIRES: 1
/// <= count <= rows, columns. Source: Halko, Martinsson and Tropp, Finding structure with
/// randomness, 2011, algorithm 4.4.
template <Element T>
std::vector<T> largest_singular_values(const GMatrix<T>& A, Index count, Index iterations,
                                       unsigned seed = 1) {
  A.expect_calls({.products = iterations, .transposed = iterations, .columns = count});
  MultiVector<T> right(A.cols(), count);
  MultiVector<T> left(A.rows(), count);
  std::mt19937 random(seed);
  std::normal_distribution<T> normal;
  for (T& value : right.write()) value = normal(random);
  Rows<T> triangle;
  for (Index i = 0; i < iterations; ++i) {
    A.multiply(right, left);
    orthonormalise(left);
    A.multiply_transposed(left, right);
    triangle = orthonormalise(right);
  }
  // left^T A = triangle^T right^T.
  const Eigen::JacobiSVD<Rows<T>> small(triangle);
  return {small.singularValues().begin(), small.singularValues().end()};
}

}  // namespace switchyard::solvers
