// Solves A x = b for a symmetric positive definite matrix: conjugate_gradients [FILE.mtx]
#include "solvers/conjugate_gradients.hpp"

#include <exception>
#include <iostream>
#include <switchyard/switchyard.hpp>

#include "solvers/host_matrices.hpp"

namespace {

using switchyard::Vector;

/// The matrix in the file, or one of a heat equation on a grid of 300 x 300 points.
switchyard::Csr<double> matrix_from(int argc, char** argv) {
  if (argc < 2) {
    return switchyard::generate<double>(
        {.kind = switchyard::MatrixKind::Poisson2d, .rows = 90'000});
  }
  return switchyard::solvers::read_csr<double>(argv[1]);
}

void solve(switchyard::Csr<double> elements) {
  const Vector<double> jacobi = switchyard::solvers::inverse_diagonal(elements);
  const switchyard::Runtime runtime;
  const auto A = runtime.matrix(std::move(elements));
  const Vector<double> ones(A.cols(), 1.0);
  Vector<double> b(A.rows());
  A.multiply(ones, b);  // so that the solution is known

  // Nothing below says where to compute: products go where they are expected to be done first, and
  // the vectors stay there.
  Vector<double> x(A.cols());
  const auto result = switchyard::solvers::conjugate_gradients(
      runtime, A, jacobi, b, x, {.rtol = 1e-8, .max_iterations = 10'000});
  switchyard::axpby(runtime, 1, ones, -1, x);  // x = 1 - x: how far off it is
  std::cout << (result.converged ? "converged" : "did not converge") << " in " << result.iterations
            << " iterations, residual " << result.residual << ", error "
            << switchyard::norm(runtime, x) / switchyard::norm(runtime, ones) << " "
            << result.breakdown << "\n\n"
            << A.explain();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    solve(matrix_from(argc, argv));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "conjugate_gradients: error: " << error.what() << '\n';
    return 1;
  }
}
