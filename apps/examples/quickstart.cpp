// The shortest useful program: a matrix, some products, and the reason for where they ran.
#include <exception>
#include <iostream>
#include <switchyard/switchyard.hpp>

int main() {
  try {
    const switchyard::Runtime runtime;  // devices, profile, budgets
    const auto A = runtime.matrix(
        switchyard::generate<float>({.kind = switchyard::MatrixKind::Poisson2d, .rows = 250'000}));
    switchyard::Vector<float> x(A.cols(), 1.0F);
    switchyard::Vector<float> y(A.rows());

    A.expect_calls(50);  // optional: how often the matrix will be used
    for (int i = 0; i < 50; ++i) {
      A.multiply(0.125F, x, 0.0F, y);  // y = A x / 8
      std::swap(x, y);                 // the vectors stay where the matrix is
    }
    std::cout << "x[0] = " << x[0] << "\n\n" << A.explain();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "quickstart: error: " << error.what() << '\n';
    return 1;
  }
}
