// Skeletons on matrices: the same results in every format and space, and where they are computed.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <switchyard/core/trace.hpp>
#include <switchyard/switchyard.hpp>

#include "core/every_state.hpp"

namespace switchyard {
namespace {

using testing::dense_values;
using testing::expect_same;
using testing::host_only;
using testing::random_dense;

template <class T>
class MatrixSkeletons : public testing::InEveryState<T> {};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MatrixSkeletons, Elements);

TYPED_TEST(MatrixSkeletons, MapsThatKeepZerosAreTheLoopInEveryState) {
  using T = TypeParam;
  const T factor = T(-1.25);
  const auto f = [factor](auto a) { return where(a > T(0.5), factor * a, a / T(3)); };
  this->in_every_state([&](GMatrix<T>& matrix, std::vector<T> values) {
    const State state = matrix.states().front();
    map(matrix, f);
    EXPECT_EQ(matrix.states(), std::vector{state});
    for (T& value : values) value = f(value);
    expect_same(dense_values(matrix), values);
  });
}

TYPED_TEST(MatrixSkeletons, OtherMapsMakeTheMatrixDense) {
  using T = TypeParam;
  const auto f = [](auto a) { return a + T(0.5); };
  this->in_every_state([&](GMatrix<T>& matrix, std::vector<T> values) {
    map(matrix, f);
    EXPECT_EQ(matrix.states().front().format, Format::Dense);
    for (T& value : values) value = f(value);
    expect_same(dense_values(matrix), values);
  });
}

TYPED_TEST(MatrixSkeletons, FunctionsMayKnowThePlace) {
  using T = TypeParam;
  const auto keeps = [](auto row, auto column, auto a) {
    return where(row < column, T(0), a * T(2));
  };
  const auto fills = [](auto row, auto column, auto a) { return a + as<T>(row - column); };
  this->in_every_state([&](GMatrix<T>& matrix, std::vector<T> values) {
    const auto apply = [&](const auto& f) {
      map(matrix, f);
      for (std::size_t k = 0; k < values.size(); ++k) {
        const Index at = static_cast<Index>(k);
        values[k] = f(at / matrix.cols(), at % matrix.cols(), values[k]);
      }
      expect_same(dense_values(matrix), values);
    };
    apply(keeps);
    apply(fills);
  });
}

TYPED_TEST(MatrixSkeletons, FoldsAreTheLoopInEveryState) {
  using T = TypeParam;
  const auto shifted = [](auto a) { return fabs(a) + T(0.125); };
  const auto of_place = [](auto row, auto column, auto a) { return where(row == column, a, T(0)); };
  this->in_every_state([&](GMatrix<T>& matrix, const std::vector<T>& values) {
    double total = 0;
    double trace = 0;
    double weight = 0;
    T largest = -std::numeric_limits<T>::infinity();
    for (std::size_t k = 0; k < values.size(); ++k) {
      total += static_cast<double>(shifted(values[k]));
      weight += std::fabs(static_cast<double>(values[k]));
      largest = std::max(largest, values[k]);
      const Index at = static_cast<Index>(k);
      if (at / matrix.cols() == at % matrix.cols()) trace += static_cast<double>(values[k]);
    }
    const double bound = 2 * std::numeric_limits<T>::epsilon() * std::max(1.0, total);
    EXPECT_NEAR(map_reduce(matrix, shifted, fold::plus), total, bound);
    EXPECT_EQ(reduce(matrix, fold::max), largest);
    EXPECT_NEAR(map_reduce(matrix, of_place, fold::plus), trace,
                2 * std::numeric_limits<T>::epsilon() * std::max(1.0, weight));
  });
}

TYPED_TEST(MatrixSkeletons, WhatCannotBeRecordedRunsOnTheHost) {
  using T = TypeParam;
  const auto branches = [](auto a) -> T {
    if (a > T(0)) return T(1);
    return a;
  };
  GMatrix<T> matrix = this->runtime_.matrix(random_dense<T>(40, 50, 0.2, 1));
  auto values = dense_values(matrix);
  if (this->runtime_.executor(Space::device(0))) {
    this->brought(matrix, {Space::device(0), Format::Csr});
  }
  map(matrix, branches);
  for (T& value : values) value = branches(value);
  expect_same(dense_values(matrix), values);
}

TYPED_TEST(MatrixSkeletons, ProductsComeAfterMaps) {
  using T = TypeParam;
  GMatrix<T> matrix = this->runtime_.matrix(random_dense<T>(300, 200, 0.6, 2));
  matrix.expect_calls(100);
  const Vector<T> x(200, T(1));
  Vector<T> y(300);
  matrix.multiply(x, y);
  scale(matrix, T(0.5));
  threshold(matrix, T(0.4));
  matrix.multiply(x, y);
  const auto values = dense_values(matrix);
  EXPECT_LT(matrix.structure().density(), 0.2);
  double squares = 0;
  for (Index i = 0; i < 300; ++i) {
    double sum = 0;
    for (Index j = 0; j < 200; ++j) {
      const auto value = static_cast<double>(values[static_cast<std::size_t>(i * 200 + j)]);
      EXPECT_TRUE(value == 0 || std::fabs(value) > 0.4);
      sum += value;
      squares += value * value;
    }
    ASSERT_NEAR(y[i], sum, 1e-4);
  }
  EXPECT_NEAR(norm(matrix), std::sqrt(squares), 1e-4);
  EXPECT_EQ(matrix.counters().maps, 2);
}

TYPED_TEST(MatrixSkeletons, SeveralMatricesAreTheLoop) {
  using T = TypeParam;
  const auto union_of = [](auto a, auto b) { return a - T(2) * b; };
  const auto product = [](auto a, auto b) { return a * b; };
  const auto filled = [](auto row, auto, auto a, auto b) { return a + b + as<T>(row % 3); };
  for (const double density : {0.05, 0.7}) {
    GMatrix<T> a = this->runtime_.matrix(random_dense<T>(60, 70, density, 4));
    GMatrix<T> b = this->runtime_.matrix(random_dense<T>(60, 70, 0.1, 5));
    const auto as = dense_values(a);
    const auto bs = dense_values(b);
    b.bring_to({Space::host(), Format::Csr});
    const auto check = [&](const auto& f, const auto& value_at) {
      GMatrix<T> out = this->runtime_.matrix(random_dense<T>(1, 1, 1, 6));
      map(out, f, a, b);
      std::vector<T> wanted(as.size());
      for (std::size_t k = 0; k < as.size(); ++k) wanted[k] = value_at(k);
      expect_same(dense_values(out), wanted);
      return out.structure().nnz;
    };
    check(union_of, [&](std::size_t k) { return union_of(as[k], bs[k]); });
    const Index kept = check(product, [&](std::size_t k) { return product(as[k], bs[k]); });
    EXPECT_LT(kept, density < 0.1 ? 250 : 4200);
    check(filled, [&](std::size_t k) {
      return filled(static_cast<Index>(k) / 70, Index{0}, as[k], bs[k]);
    });
    map(a, union_of, a, a);
    EXPECT_EQ(dense_values(a)[5], -as[5]);
    const GMatrix<T> other = this->runtime_.matrix(random_dense<T>(70, 60, 0.1, 5));
    EXPECT_THROW(map(a, product, b, other), Error);
  }
}

TYPED_TEST(MatrixSkeletons, RowsAreFoldedWithAVector) {
  using T = TypeParam;
  constexpr T far = std::numeric_limits<T>::infinity();
  const auto steps = [](auto a, auto x) { return a + x; };
  const auto by_place = [](auto i, auto j, auto a, auto x) { return where(i < j, a * x, T(0)); };
  this->in_every_state([&](GMatrix<T>& matrix, const std::vector<T>& values) {
    const auto rows = static_cast<std::size_t>(matrix.rows());
    const auto cols = static_cast<std::size_t>(matrix.cols());
    const auto xs = testing::random_vector<T>(matrix.cols(), 7);
    const Vector<T> x{std::span<const T>(xs)};
    Vector<T> least(matrix.rows());
    Vector<T> upper(matrix.rows());
    const State state = matrix.states().front();
    const bool has_rows = state.format == Format::Dense || state.format == Format::Csr;
    if (has_rows) matrix.pin(state);
    map_rows(least, steps, fold::min, matrix, x);
    map_rows(upper, by_place, fold::plus, matrix, x);
    if (has_rows) {
      EXPECT_EQ(matrix.states(), std::vector{state});
    }
    for (std::size_t i = 0; i < rows; ++i) {
      T wanted = far;
      double sum = 0;
      double weight = 0;
      double terms = 0;
      for (std::size_t j = 0; j < cols; ++j) {
        const T a = values[i * cols + j];
        if (a == T(0)) continue;
        ++terms;
        wanted = std::min(wanted, a + xs[j]);
        if (i < j) sum += static_cast<double>(a * xs[j]);
        weight += std::fabs(static_cast<double>(a * xs[j]));
      }
      const auto at = static_cast<Index>(i);
      ASSERT_EQ(least[at], wanted);
      // In any order n terms are off by n - 1 roundings of their weight, here and in the loop.
      ASSERT_NEAR(upper[at], sum,
                  (1 + terms * weight) * static_cast<double>(std::numeric_limits<T>::epsilon()));
    }
  });
  GMatrix<T> matrix = this->runtime_.matrix(random_dense<T>(4, 5, 1, 1));
  Vector<T> y(5);
  EXPECT_THROW(map_rows(y, steps, fold::min, matrix, y), Error);
}

TEST(MatrixMaps, AreInTheHistoryAndTheTrace) {
  RuntimeOptions options = host_only();
  options.trace = std::make_shared<Trace>();
  const Runtime runtime(options);
  GMatrix<float> matrix = runtime.matrix(random_dense<float>(30, 30, 0.5, 3));
  scale(matrix, 2);
  ASSERT_EQ(matrix.history().size(), 1U);
  const Step step = matrix.history().front();
  EXPECT_EQ(name(step.kind), "map");
  EXPECT_EQ(step.to, (State{Space::host(), Format::Dense}));
  EXPECT_TRUE(step.measured_seconds.has_value());
  EXPECT_EQ(options.trace->events().back().kind, TraceEvent::Kind::Map);
  EXPECT_NE(counters_text(matrix.counters()).find("1 map of the elements"), std::string::npos);
}

TEST(MatrixMaps, ChangeACopyOfBorrowedMemory) {
  const Runtime runtime(host_only());
  std::vector<float> mine{1, 2, 3, 4};
  GMatrix<float> matrix =
      runtime.matrix(Dense<float>{2, 2, Array<float>::borrow(std::span<const float>(mine))});
  scale(matrix, 3);
  EXPECT_EQ(mine, (std::vector<float>{1, 2, 3, 4}));
  expect_same(dense_values(matrix), {3, 6, 9, 12});
}

}  // namespace
}  // namespace switchyard
