// Fits x so that ||b - A x|| is least, for a matrix of any shape: least_squares [FILE.mtx]
#include <exception>
#include <iostream>
#include <random>
#include <switchyard/switchyard.hpp>

#include "solvers/host_matrices.hpp"
#include "solvers/lsqr.hpp"

namespace {

using switchyard::Index;
using switchyard::Vector;

/// The matrix in the file, or one of 200000 measurements of eight out of 20000 unknowns each.
switchyard::Csr<double> matrix_from(int argc, char** argv) {
  if (argc > 1) return switchyard::solvers::read_csr<double>(argv[1]);
  constexpr Index rows = 200'000;
  constexpr Index cols = 20'000;
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> value(-1, 1);
  std::uniform_int_distribution<Index> column(0, cols - 1);
  std::vector<switchyard::Triplet<double>> elements;
  for (Index i = 0; i < rows; ++i) {
    for (int k = 0; k < 8; ++k) elements.push_back({i, column(engine), value(engine)});
  }
  return switchyard::csr_from_triplets<double>(rows, cols, elements);
}

void fit(switchyard::Csr<double> elements) {
  const switchyard::Runtime runtime;
  const auto A = runtime.matrix(std::move(elements));
  // Measurements of ones, with errors.
  std::mt19937 engine(2);
  std::normal_distribution<double> error(0, 0.01);
  Vector<double> b(A.rows());
  A.multiply(Vector<double>(A.cols(), 1.0), b);
  for (double& measured : b.write()) measured += error(engine);

  // Products with A and with its transpose are planned for, each with what the other has converted.
  Vector<double> x(A.cols());
  const auto result =
      switchyard::solvers::lsqr(runtime, A, b, x, {.rtol = 1e-10, .max_iterations = 1000});
  std::cout << (result.converged ? "converged" : "did not converge") << " in " << result.iterations
            << " iterations, residual of the normal equations " << result.residual << " "
            << result.breakdown << "\n\n"
            << A.explain() << '\n'
            << A.explain({.operand = switchyard::Operand::Transpose});
}

}  // namespace

int main(int argc, char** argv) {
  try {
    fit(matrix_from(argc, argv));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "least_squares: error: " << error.what() << '\n';
    return 1;
  }
}
