// A matrix of Eigen's, dense and sparse, taken over and multiplied; and ours in a solver of
// Eigen's.
#include <Eigen/IterativeLinearSolvers>
#include <switchyard/eigen.hpp>
#include <switchyard/switchyard.hpp>

int main() {
  const Eigen::MatrixXf dense = Eigen::MatrixXf::Identity(3, 3) * 2.0f;
  const Eigen::SparseMatrix<float> sparse = dense.sparseView();
  const switchyard::Runtime runtime;
  const auto A = runtime.matrix(switchyard::dense_from_eigen(dense));
  const auto B = runtime.matrix(switchyard::csr_from_eigen(sparse));
  const switchyard::Vector<float> x{1, 2, 3};
  switchyard::Vector<float> y(3);
  switchyard::Vector<float> z(3);
  A.multiply(x, y);
  B.multiply(y, z);
  using Solver = Eigen::BiCGSTAB<switchyard::EigenMatrix<float>>;
  const auto matrix = switchyard::as_eigen(B);
  const Solver solver(matrix);
  const Eigen::VectorXf halves = solver.solve(Eigen::VectorXf::Ones(3));
  const bool solved = (halves.array() - 0.5f).abs().maxCoeff() < 1e-5f;
  return solved && z[0] == 4 && z[1] == 8 && z[2] == 12 ? 0 : 1;
}
