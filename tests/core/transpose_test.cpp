// Products with the transpose: in every state that computes them, beside plain ones, and of
// matrices that are their own transpose.
#include <gtest/gtest.h>

#include <algorithm>
#include <switchyard/backends/reference.hpp>
#include <switchyard/switchyard.hpp>

#include "backends/awkward_matrices.hpp"
#include "core/fixtures.hpp"
#include "formats.hpp"
#include "states.hpp"

namespace switchyard {
namespace {

using testing::random_dense;
using testing::random_vector;

using testing::csr_host;
using testing::dense_host;
constexpr State csc_host{Space::host(), Format::Csc};
constexpr Request transposed{.operand = Operand::Transpose, .columns = 1};

/// The worst error of y = alpha A^T x + beta y, in units of the bound.
template <Element T>
double error_of_transposed(const GMatrix<T>& matrix, const Storage<T>& original, T alpha, T beta) {
  const auto x = random_vector<T>(matrix.rows(), 5);
  auto y = random_vector<T>(matrix.cols(), 6);
  const auto expected =
      reference_multiply<T>(original, alpha, std::span<const T>(x), beta, y, transposed);
  matrix.multiply_transposed(alpha, std::span<const T>(x), beta, std::span<T>(y));
  return worst_error<T>(expected, std::span<const T>(y));
}

/// A random matrix that equals its transpose.
template <Element T>
Dense<T> symmetric_matrix(Index size) {
  auto dense = random_dense<T>(size, size, 0.3, 1);
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < i; ++j) dense.values[j * size + i] = dense.values[i * size + j];
  }
  return dense;
}

bool has_copy(const GMatrix<double>& matrix, State state) {
  const auto states = matrix.states();
  return std::ranges::find(states, state) != states.end();
}

template <class T>
class TransposeOf : public ::testing::Test {
 protected:
  Runtime runtime_{RuntimeOptions{}};
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TransposeOf, Elements);

TYPED_TEST(TransposeOf, IsRightInEveryStateThatComputesIt) {
  using T = TypeParam;
  for (const auto& executor : this->runtime_.executors()) {
    if (!executor->supports(precision_of<T>)) continue;
    for (const FormatFacts& facts : format_table) {
      const State state{executor->space(), facts.format};
      const Storage<T> original = testing::recoded(random_dense<T>(53, 71, 0.3, 1), facts.format);
      const auto matrix = this->runtime_.matrix(transferred(original, plain_host_memory()));
      matrix.pin(state);
      const auto computes = [&](const MultiplyOperation<T>& operation) {
        return operation.backend == executor->backend() && operation.format == facts.format &&
               operation.computes(transposed);
      };
      if (std::ranges::none_of(multiply_operations<T>(), computes)) {
        EXPECT_FALSE(state.space.is_host()) << name(state);
        EXPECT_THROW(error_of_transposed<T>(matrix, original, T(1), T(0)), Error) << name(state);
        continue;
      }
      EXPECT_LE(error_of_transposed<T>(matrix, original, T(1), T(0)), 1) << name(state);
      EXPECT_LE(error_of_transposed<T>(matrix, original, T(-1.5), T(0.5)), 1) << name(state);
    }
  }
}

TYPED_TEST(TransposeOf, AwkwardMatricesAreRightWhereverTheyAreComputed) {
  using T = TypeParam;
  for (const auto& [what, csr] : testing::awkward_matrices<T>()) {
    const Storage<T> original = testing::wide_offsets(csr);
    const auto matrix = this->runtime_.matrix(transferred(original, plain_host_memory()));
    for (int i = 0; i < 3; ++i) {
      EXPECT_LE(error_of_transposed<T>(matrix, original, T(2), T(i)), 1) << what;
    }
  }
}

TYPED_TEST(TransposeOf, VectorsAndSpansGiveTheSame) {
  using T = TypeParam;
  const auto matrix = this->runtime_.matrix(random_dense<T>(40, 30, 0.4, 2));
  const auto start = random_vector<T>(40, 3);
  std::vector<T> of_span(30);
  matrix.multiply_transposed(std::span<const T>(start), std::span<T>(of_span));
  const Vector<T> x{std::span<const T>(start)};
  Vector<T> y(30);
  matrix.multiply_transposed(x, y);
  const auto read = y.read();
  for (std::size_t j = 0; j < of_span.size(); ++j) {
    EXPECT_NEAR(read[j], of_span[j], 1e-4 * (1 + std::abs(of_span[j]))) << j;
  }
}

TEST(Transpose, EachKindOfCallHasItsOwnNumber) {
  const Runtime runtime(testing::host_only());
  const auto matrix = runtime.matrix(random_dense<double>(40, 30, 0.4, 2));
  matrix.expect_calls({.products = 7, .transposed = 9});
  const Vector<double> x(40, 1.0);
  Vector<double> y(30);
  matrix.multiply_transposed(x, y);
  EXPECT_EQ(matrix.plan().yard.horizon, 7);
  EXPECT_EQ(matrix.plan(transposed).yard.horizon, 8);
  const Vector<double> plain_x(30, 1.0);
  Vector<double> plain_y(40);
  matrix.multiply(plain_x, plain_y);
  EXPECT_EQ(matrix.plan().yard.horizon, 6);
  EXPECT_EQ(matrix.plan(transposed).yard.horizon, 8);
}

TEST(Transpose, PlansCountOnTheOtherKindOfCalls) {
  const Runtime runtime(testing::host_only());
  const auto matrix = runtime.matrix(random_dense<double>(50, 40, 0.2, 1));
  matrix.expect_calls(300);
  EXPECT_TRUE(matrix.plan().yard.companions.empty()) << "none was ever expected";
  matrix.expect_calls({.products = 300, .transposed = 200});
  const Plan plan = matrix.plan();
  ASSERT_FALSE(plan.yard.companions.empty());
  for (const Companion& companion : plan.yard.companions) {
    EXPECT_EQ(companion.request, transposed);
    EXPECT_EQ(companion.calls, 200);
    EXPECT_GT(companion.seconds, 0);
  }
  EXPECT_EQ(matrix.plan(transposed).yard.companions.front().calls, 300);
  EXPECT_NE(matrix.explain().find("multiply transposed, 200 times, in "), std::string::npos);
  matrix.pin(csr_host, transposed);
  EXPECT_TRUE(matrix.plan().yard.companions.empty()) << "pinned ones go nowhere";
}

TEST(Transpose, EachKindOfCallCanBePinnedByItself) {
  const Runtime runtime(testing::host_only());
  const auto matrix = runtime.matrix(random_dense<double>(50, 40, 0.2, 1));
  matrix.pin(csr_host, Request{});
  matrix.pin(csc_host, transposed);
  EXPECT_EQ(matrix.plan().target(), csr_host);
  EXPECT_EQ(matrix.plan(transposed).target(), csc_host);
  EXPECT_TRUE(matrix.plan(transposed).pinned);
  EXPECT_FALSE(matrix.pinned()) << "not every kind";
  EXPECT_LE(error_of_transposed<double>(matrix, matrix.copy_out(Format::Dense), 1, 0), 1);
  EXPECT_EQ(matrix.history().back().to, csc_host);

  matrix.pin(dense_host);
  EXPECT_EQ(matrix.plan(transposed).target(), dense_host) << "a pin of all goes over those before";
  matrix.unpin();
  EXPECT_FALSE(matrix.plan(transposed).pinned);
  EXPECT_THROW(matrix.pin(csr_host, {Operand::Matrix, 0}), Error);
}

TEST(Transpose, IsRefusedForVectorsOfThePlainLengths) {
  const Runtime runtime(testing::host_only());
  const auto matrix = runtime.matrix(random_dense<double>(40, 30, 0.4, 2));
  const Vector<double> x(30, 1.0);
  Vector<double> y(40);
  EXPECT_THROW(matrix.multiply_transposed(x, y), Error);
  EXPECT_THROW(matrix.expect_calls({.products = 0, .transposed = 0}), Error);
  EXPECT_THROW(matrix.expect_calls({.products = 1, .transposed = -1}), Error);
}

TEST(Transpose, ManyCallsBringTheMatrixIntoColumns) {
  const Runtime runtime(testing::host_only());
  const auto matrix = runtime.matrix(
      testing::in_format<double>(random_dense<double>(3000, 2500, 0.01, 2), Format::Csr));
  matrix.expect_calls({.transposed = 10'000});
  std::vector<double> x(3000, 1.0);
  std::vector<double> y(2500);
  matrix.multiply_transposed(x, y);
  EXPECT_TRUE(has_copy(matrix, csc_host));
  EXPECT_NE(matrix.explain(transposed).find("transposed"), std::string::npos);
}

TEST(Transpose, ASymmetricMatrixNeedsNoColumns) {
  const Runtime runtime(testing::host_only());
  const Storage<double> original = symmetric_matrix<double>(200);
  auto matrix = runtime.matrix(testing::in_format(original, Format::Csr));
  matrix.expect_calls({.products = 100, .transposed = 200});
  EXPECT_EQ(matrix.plan().yard.horizon, 300) << "both are one";
  EXPECT_LE(error_of_transposed<double>(matrix, original, 1, 0), 1);
  EXPECT_FALSE(has_copy(matrix, csc_host));
  EXPECT_EQ(matrix.plan(transposed).yard.request, Request{});

  // With other values it is looked at anew.
  matrix.write_csr([](const Csr<double>&, std::span<double> values) { values[1] = 7; });
  const Storage<double> changed = matrix.copy_out(Format::Csr);
  EXPECT_LE(error_of_transposed<double>(matrix, changed, 1, 0), 1);
  EXPECT_EQ(matrix.plan(transposed).yard.request, transposed);
}

}  // namespace
}  // namespace switchyard
