// Products with several columns at once, through the handle.
#include <gtest/gtest.h>

#include <algorithm>
#include <switchyard/backends/reference.hpp>
#include <switchyard/switchyard.hpp>

#include "core/fixtures.hpp"
#include "formats.hpp"

namespace switchyard {
namespace {

using testing::random_dense;
using testing::random_vector;

/// The worst error of Y = alpha op(A) X + beta Y, in units of the bound.
template <Element T>
double error_of(const GMatrix<T>& matrix, const Storage<T>& original, const Request& request,
                T beta) {
  const Index rows = rows_of(original);
  const Index cols = cols_of(original);
  const auto x = random_vector<T>(x_size(request, rows, cols), 5);
  const auto y = random_vector<T>(y_size(request, rows, cols), 6);
  const auto expected = reference_multiply<T>(original, T(2), x, beta, y, request);
  const MultiVector<T> x_columns(x_rows(request, rows, cols), request.columns, x);
  MultiVector<T> y_columns(y_rows(request, rows, cols), request.columns, y);
  if (request.operand == Operand::Transpose) {
    matrix.multiply_transposed(T(2), x_columns, beta, y_columns);
  } else {
    matrix.multiply(T(2), x_columns, beta, y_columns);
  }
  return worst_error<T>(expected, y_columns.read());
}

template <class T>
class ColumnsOf : public ::testing::Test {
 protected:
  Runtime runtime_{RuntimeOptions{}};
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ColumnsOf, Elements);

TYPED_TEST(ColumnsOf, AreRightWhereverTheyAreComputed) {
  using T = TypeParam;
  const Storage<T> original = random_dense<T>(53, 71, 0.3, 1);
  for (const Format start : {Format::Dense, Format::Csr}) {
    const auto matrix = this->runtime_.matrix(testing::in_format(original, start));
    for (const Index columns : {1, 2, 3, 4, 7, 8, 16, 17, 32, 64, 100}) {
      for (const Operand operand : {Operand::Matrix, Operand::Transpose}) {
        const Request request{operand, columns};
        EXPECT_LE(error_of<T>(matrix, original, request, T(0)), 1) << name(request);
        EXPECT_LE(error_of<T>(matrix, original, request, T(-0.5)), 1) << name(request);
      }
    }
  }
}

TYPED_TEST(ColumnsOf, AreRightInEveryStateThatComputesThem) {
  using T = TypeParam;
  Index columns = 1;
  for (const auto& executor : this->runtime_.executors()) {
    if (!executor->supports(precision_of<T>)) continue;
    for (const FormatFacts& facts : format_table) {
      for (const Operand operand : {Operand::Matrix, Operand::Transpose}) {
        const State state{executor->space(), facts.format};
        const Request request{operand, columns = columns % 9 + 2};
        const auto computes = [&](const MultiplyOperation<T>& operation) {
          return operation.backend == executor->backend() && operation.format == facts.format &&
                 operation.computes(request);
        };
        if (std::ranges::none_of(multiply_operations<T>(), computes)) continue;
        const Storage<T> original = testing::recoded(random_dense<T>(53, 71, 0.3, 1), facts.format);
        const auto matrix = this->runtime_.matrix(transferred(original, plain_host_memory()));
        matrix.pin(state);
        EXPECT_LE(error_of<T>(matrix, original, request, T(0.5)), 1)
            << name(state) << ", " << name(request);
      }
    }
  }
}

TEST(Columns, OfSpansAreThoseOfMultivectors) {
  const Runtime runtime(testing::host_only());
  const auto matrix = runtime.matrix(random_dense<double>(40, 30, 0.4, 2));
  // In another state the sums would be rounded in another order.
  matrix.pin({Space::host(), Format::Csr});
  const auto x = random_vector<double>(90, 3);
  std::vector<double> of_span(120);
  matrix.multiply(std::span<const double>(x), std::span<double>(of_span), 3);
  const MultiVector<double> x_columns(30, 3, x);
  MultiVector<double> y_columns(40, 3);
  matrix.multiply(x_columns, y_columns);
  const auto read = y_columns.read();
  EXPECT_TRUE(std::ranges::equal(of_span, read));
  EXPECT_THROW(matrix.multiply(std::span<const double>(x), std::span<double>(of_span), 0), Error);
  EXPECT_THROW(matrix.multiply(std::span<const double>(x), std::span<double>(of_span), 4), Error);
}

TEST(Columns, HaveAPlanOfTheirOwn) {
  const Runtime runtime(testing::host_only());
  const auto matrix = runtime.matrix(random_dense<double>(40, 30, 0.4, 2));
  matrix.expect_calls({.products = 9, .columns = 4});
  matrix.expect_calls(5);
  const MultiVector<double> x(30, 4, 1.0);
  MultiVector<double> y(40, 4);
  matrix.multiply(x, y);
  EXPECT_EQ(matrix.plan({.columns = 4}).yard.horizon, 8);
  EXPECT_EQ(matrix.plan().yard.horizon, 5);
  EXPECT_EQ(matrix.plan({.columns = 4}).multiply_step().request.columns, 4);
  EXPECT_THROW(matrix.expect_calls({.products = 9, .columns = 0}), Error);
  EXPECT_THROW(static_cast<void>(matrix.plan({.columns = 0})), Error);
}

// Other formats are decoded first: assumed figures are not to make them look faster.
TEST(Columns, AreComputedInCsrBeforeAnythingIsMeasured) {
  const Runtime runtime(testing::host_only());
  PlanQuestion question;
  question.structure = even_structure<float>(3000, 3000, 0.02);
  question.calls = 100;
  for (const Index columns : {2, 16, 64}) {
    question.request = {.columns = columns};
    EXPECT_EQ(runtime.plan(question).target(), (State{Space::host(), Format::Csr})) << columns;
  }
}

TEST(Columns, HaveToAgree) {
  const Runtime runtime(testing::host_only());
  const auto matrix = runtime.matrix(random_dense<double>(40, 30, 0.4, 2));
  MultiVector<double> y(40, 3);
  EXPECT_THROW(matrix.multiply(MultiVector<double>(30, 2), y), Error);
  EXPECT_THROW(matrix.multiply(MultiVector<double>(29, 3), y), Error);
  EXPECT_THROW(matrix.multiply_transposed(MultiVector<double>(30, 3), y), Error);
  EXPECT_THROW(matrix.multiply(y, y), Error);
  MultiVector<double> none(40, 0);
  EXPECT_NO_THROW(matrix.multiply(MultiVector<double>(30, 0), none)) << "nothing to compute";
}

}  // namespace
}  // namespace switchyard
