// Skeletons: what a program does to vectors and matrices between products, where they are.
#include <exception>
#include <iostream>
#include <switchyard/switchyard.hpp>

namespace sy = switchyard;
using sy::as;
using sy::where;

namespace {

void vectors(const sy::Runtime& runtime) {
  constexpr sy::Index size = 1'000'000;
  sy::Vector<float> x(size);
  sy::Vector<float> y(size);
  sy::generate(runtime, x, [](auto i) { return as<float>(i % 10); });
  const float a = 0.5F;
  sy::map(
      runtime, y, [a](auto xi) { return where(xi > 4, a * xi, 0.0F); }, x);
  std::cout << "sum of y: " << sy::reduce(runtime, sy::fold::plus, y) << '\n';
  const auto product = [](auto xi, auto yi) { return xi * yi; };
  std::cout << "x . y: " << sy::map_reduce(runtime, product, sy::fold::plus, x, y) << '\n';

  sy::Vector<float> smooth(size);
  const auto mean = [](auto v) { return 0.25F * v(-1) + 0.5F * v() + 0.25F * v(1); };
  sy::map_overlap(runtime, smooth, mean, sy::Edge::nearest(), x);
  std::cout << "largest mean: " << sy::reduce(runtime, sy::fold::max, smooth) << '\n';
  sy::scan(runtime, sy::fold::plus, y, y);
  std::cout << "prefix of all: " << y[size - 1] << '\n';
  std::cout << "what a device computes:\n"
            << sy::recorded_form<float, 1>([a](auto xi) { return where(xi > 4, a * xi, 0.0F); });
}

void matrices(const sy::Runtime& runtime) {
  auto A = runtime.matrix(sy::generate<float>({.kind = sy::MatrixKind::Pruned, .rows = 2000}));
  const sy::Vector<float> x(A.cols(), 1.0F);
  sy::Vector<float> y(A.rows());
  A.expect_calls(1000);
  A.multiply(x, y);
  std::cout << "norm " << sy::norm(A) << ", " << A.structure().nnz << " nonzeros\n";
  sy::scale(A, 2.0F);
  sy::threshold(A, 1.5F);  // keeps what is larger
  const auto count = [](auto a) { return where(a != 0, 1.0F, 0.0F); };
  std::cout << "after pruning: " << sy::map_reduce(A, count, sy::fold::plus) << " nonzeros\n";
  A.multiply(x, y);
  std::cout << A.explain() << '\n';
}

}  // namespace

int main() {
  try {
    const sy::Runtime runtime;
    vectors(runtime);
    matrices(runtime);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "skeletons: error: " << error.what() << '\n';
    return 1;
  }
}
