// A GMatrix as Eigen's solvers see it.
#include <gtest/gtest.h>

#include <Eigen/IterativeLinearSolvers>
#include <switchyard/eigen.hpp>
#include <unsupported/Eigen/IterativeSolvers>

#include "core/fixtures.hpp"

namespace switchyard {
namespace {

TEST(EigenMatrix, HasTheSizeOfItsMatrix) {
  const Runtime runtime(testing::host_only());
  const auto matrix = runtime.matrix(testing::random_dense<float>(5, 7, 0.5, 1));
  EXPECT_EQ(as_eigen(matrix).rows(), 5);
  EXPECT_EQ(as_eigen(matrix).cols(), 7);
  EXPECT_EQ(&as_eigen(matrix).matrix(), &matrix);
}

// Solvers construct one before they are given a matrix.
TEST(EigenMatrix, WithoutAMatrixIsEmpty) {
  const EigenMatrix<double> none;
  EXPECT_EQ(none.rows(), 0);
  EXPECT_EQ(none.cols(), 0);
}

/// A matrix, and the same as Eigen's.
template <Element T>
struct Pair {
  Runtime runtime{testing::host_only()};
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> dense;
  GMatrix<T> matrix;

  Pair(Index rows, Index cols)
      : dense(Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>::Random(rows, cols)),
        matrix(runtime.matrix(dense_from_eigen(dense))) {}
};

template <class A, class B>
void expect_near(const A& a, const B& b) {
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), 1e-5);
}

template <class T>
class EigenProducts : public ::testing::Test {};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(EigenProducts, Elements);

TYPED_TEST(EigenProducts, SeveralVectorsAndTransposesAgreeWithEigen) {
  using T = TypeParam;
  using Many = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Three = Eigen::Matrix<T, Eigen::Dynamic, 3>;
  const Pair<T> pair(5, 7);
  const auto A = as_eigen(pair.matrix);
  for (const Index columns : {1, 2, 5}) {
    const Many X = Many::Random(7, columns);
    Many Y = A * X;
    expect_near(Y, Many(pair.dense * X));
    Y += A * X;
    Y.noalias() -= A * (T{2} * X);
    expect_near(Y, Many(Many::Zero(5, columns)));
    const Rows Z = A.transpose() * Rows(Y + Many::Ones(5, columns));
    expect_near(Z, Many(pair.dense.transpose() * (Y + Many::Ones(5, columns))));
  }
  const Three X = Three::Random(7, 3);
  const Three Y = A * X;
  expect_near(Y, Three(pair.dense * X));
  const Eigen::Matrix<T, Eigen::Dynamic, 1> x = X.col(1);
  Many all = Many::Zero(5, 2);
  all.col(1) = A * x;
  expect_near(all.col(1), Many(pair.dense * x));
  const Eigen::Matrix<T, Eigen::Dynamic, 1> back = A.adjoint() * all.col(1);
  expect_near(back, Many(pair.dense.transpose() * all.col(1)));
  EXPECT_EQ(A.transpose().rows(), 7);
  EXPECT_EQ(A.transpose().transpose().rows(), 5);
  const Many none = A * Many(7, 0);
  EXPECT_EQ(none.cols(), 0);
}

// Scaled so badly that it takes many iterations without a preconditioner.
TEST(EigenPreconditioner, TheDiagonalOneReadsTheDiagonal) {
  const Runtime runtime(testing::host_only());
  std::vector<Triplet<double>> triplets;
  constexpr Index n = 60;
  for (Index i = 0; i < n; ++i) {
    const double scale = i % 2 == 0 ? 1e4 : 1;
    triplets.push_back({i, i, 4 * scale});
    if (i + 2 < n) triplets.push_back({i, i + 2, -scale});
    if (i >= 2) triplets.push_back({i, i - 2, -scale});
  }
  const auto matrix = runtime.matrix(n, n, triplets);
  const auto A = as_eigen(matrix);
  using Matrix = EigenMatrix<double>;
  const Eigen::VectorXd b = A * Eigen::VectorXd::Ones(n);
  Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper> with(A);
  Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner>
      without(A);
  const Eigen::VectorXd x = with.solve(b);
  const Eigen::VectorXd other = without.solve(b);
  EXPECT_LE((x.array() - 1).abs().maxCoeff(), 1e-9);
  EXPECT_LT(with.iterations(), without.iterations());
  Eigen::BiCGSTAB<Matrix> bicgstab(A);
  EXPECT_LE((bicgstab.solve(b).eval().array() - 1).abs().maxCoeff(), 1e-9);
}

TEST(EigenPreconditioner, MissingDiagonalElementsCountAsOne) {
  const Runtime runtime(testing::host_only());
  const auto matrix =
      runtime.matrix(2, 3, std::vector<Triplet<double>>{{0, 0, 2}, {1, 0, 5}, {1, 2, 7}});
  const auto A = as_eigen(matrix);
  Eigen::DiagonalPreconditioner<double> diagonal(A);
  EXPECT_EQ(diagonal.solve(Eigen::VectorXd::Ones(3)), Eigen::Vector3d(0.5, 1, 1));
}

}  // namespace
}  // namespace switchyard
