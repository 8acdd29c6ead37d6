// A GMatrix as Eigen's solvers see it.
#include <gtest/gtest.h>

#include <switchyard/eigen.hpp>

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

}  // namespace
}  // namespace switchyard
