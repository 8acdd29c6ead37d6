// Eigen's own iterative solvers on an adaptive matrix.
#include <Eigen/IterativeLinearSolvers>
#include <exception>
#include <iostream>
#include <switchyard/eigen.hpp>
#include <switchyard/switchyard.hpp>
#include <unsupported/Eigen/IterativeSolvers>

namespace {

using Matrix = switchyard::EigenMatrix<double>;

/// Solves A x = b and says how it went.
template <class Solver>
void solve(const char* what, const Matrix& A, const Eigen::VectorXd& b) {
  Solver solver(A);
  solver.setTolerance(1e-8);
  const Eigen::VectorXd x = solver.solve(b);
  const double residual = (b - A * x).norm() / b.norm();
  std::cout << what << ": " << solver.iterations() << " iterations, residual " << residual << '\n';
}

}  // namespace

int main() {
  try {
    const switchyard::Runtime runtime;
    const auto adaptive = runtime.matrix(
        switchyard::generate<double>({.kind = switchyard::MatrixKind::Poisson2d, .rows = 2'500}));
    const auto A = switchyard::as_eigen(adaptive);
    const Eigen::VectorXd b = A * Eigen::VectorXd::Ones(A.cols());

    solve<Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper>>("CG", A, b);
    solve<Eigen::BiCGSTAB<Matrix>>("BiCGSTAB", A, b);
    solve<Eigen::GMRES<Matrix>>("GMRES", A, b);
    std::cout << '\n' << adaptive.explain();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "eigen_solver: error: " << error.what() << '\n';
    return 1;
  }
}
