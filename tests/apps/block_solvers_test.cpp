// Programs that multiply by several columns and by the transpose.
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <optional>
#include <switchyard/backends/openmp.hpp>
#include <switchyard/backends/operations.hpp>
#include <switchyard/switchyard.hpp>

#include "solvers/inference.hpp"
#include "solvers/singular_values.hpp"

namespace switchyard::solvers {
namespace {

using Exact = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;

template <Element T>
Exact dense_of(const Csr<T>& matrix) {
  Exact dense = Exact::Zero(matrix.rows, matrix.cols);
  for (Index i = 0; i < matrix.rows; ++i) {
    matrix.row(i, [&](Column j, T value) { dense(i, j) = static_cast<double>(value); });
  }
  return dense;
}

template <class T>
class BlockSolvers : public ::testing::Test {
 protected:
  static constexpr double tolerance = std::same_as<T, float> ? 1e-4 : 1e-10;

  /// The planner's choice, and every state that computes both products.
  std::vector<std::optional<State>> states(Index columns) {
    std::vector<std::optional<State>> found{std::nullopt};
    for (const auto& executor : runtime_.executors()) {
      if (!executor->supports(precision_of<T>)) continue;
      for (const Format format : {Format::Csr, Format::Csc, Format::Dense}) {
        const auto computes = [&](Operand operand) {
          return std::ranges::any_of(multiply_operations<T>(), [&](const auto& operation) {
            return operation.format == format && operation.backend == executor->backend() &&
                   operation.computes({operand, columns});
          });
        };
        if (computes(Operand::Matrix) && computes(Operand::Transpose)) {
          found.push_back(State{executor->space(), format});
        }
      }
    }
    return found;
  }

  /// The matrix for that choice.
  GMatrix<T> matrix(const GenerateOptions& recipe, const std::optional<State>& state) {
    auto A = runtime_.matrix(generate<T>(recipe));
    if (state) A.pin(*state);
    return A;
  }

  Runtime runtime_{RuntimeOptions{}};
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BlockSolvers, Elements);

TYPED_TEST(BlockSolvers, TheLargestSingularValuesAreFound) {
  using T = TypeParam;
  constexpr Index rows = 60;
  constexpr Index cols = 40;
  // Values that fall by half, and some coupling.
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < cols; ++i) {
    const auto size = static_cast<T>(std::ldexp(1.0, static_cast<int>(-i)));
    triplets.push_back({i, i, size});
    triplets.push_back({i + 20, i, size / 2});
  }
  const auto make = [&] {
    return csr_from_triplets(rows, cols, std::span<const Triplet<T>>(triplets));
  };
  const Eigen::VectorXd expected = Eigen::JacobiSVD<Exact>(dense_of(make())).singularValues();
  for (const auto& state : this->states(4)) {
    SCOPED_TRACE(state ? name(*state) : "auto");
    auto A = this->runtime_.matrix(make());
    if (state) A.pin(*state);
    const std::vector<T> found = largest_singular_values(A, 4, 12);
    ASSERT_EQ(found.size(), 4U);
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_NEAR(found[k], expected[static_cast<Index>(k)], this->tolerance) << k;
    }
  }
}

TYPED_TEST(BlockSolvers, BackpropagationIsTheDerivative) {
  using T = TypeParam;
  constexpr Index inputs = 3;
  constexpr Index size = 20;
  std::vector<GenerateOptions> recipes;
  for (const std::uint64_t seed : {1, 2, 3}) {
    recipes.push_back({.kind = MatrixKind::Uniform, .rows = size, .density = 0.5, .seed = seed});
  }
  // The sum of W3 relu(W2 relu(z)) by z, at z = W1 1.
  const Exact W1 = dense_of(generate<T>(recipes[0]));
  const Exact W2 = dense_of(generate<T>(recipes[1]));
  const Exact W3 = dense_of(generate<T>(recipes[2]));
  const Eigen::VectorXd z1 = W1 * Eigen::VectorXd::Ones(size);
  const Eigen::VectorXd z2 = W2 * z1.cwiseMax(0.0);
  const auto passed = [](const Eigen::VectorXd& z) {
    return (z.array() > 0).template cast<double>().matrix().eval();
  };
  const Eigen::VectorXd by_z2 =
      (W3.transpose() * Eigen::VectorXd::Ones(size)).cwiseProduct(passed(z2));
  const Eigen::VectorXd by_z1 = (W2.transpose() * by_z2).cwiseProduct(passed(z1));
  for (const auto& state : this->states(inputs)) {
    SCOPED_TRACE(state ? name(*state) : "auto");
    std::vector<GMatrix<T>> layers;
    for (const auto& recipe : recipes) layers.push_back(this->matrix(recipe, state));
    const MultiVector<T> input(size, inputs, T{1});
    auto outputs = layer_outputs(layers, inputs);
    forward(this->runtime_, layers, input, outputs);
    auto deltas = layer_outputs(layers, inputs);
    std::ranges::fill(deltas.back().write(), T{1});
    backward(this->runtime_, layers, outputs, deltas);
    for (Index c = 0; c < inputs; ++c) {
      for (Index i = 0; i < size; ++i) {
        EXPECT_NEAR(deltas[0](i, c), by_z1[i], 10 * this->tolerance) << i << ", " << c;
      }
    }
  }
}

}  // namespace
}  // namespace switchyard::solvers
