// Matrices without rows, without columns, or without either, in every operation and state.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <sstream>
#include <switchyard/containers/eigen.hpp>
#include <switchyard/switchyard.hpp>

#include "core/fixtures.hpp"

namespace switchyard {
namespace {

struct Shape {
  Index rows;
  Index cols;
};
const std::vector<Shape> shapes{{0, 0}, {0, 5}, {5, 0}};

template <Element T>
Csr<T> empty_csr(Shape shape) {
  return csr_from_triplets<T>(shape.rows, shape.cols, {});
}

template <class T>
class EmptyShapes : public ::testing::Test {
 protected:
  /// Calls `check(make, state)` for each shape, way of making it, and state.
  template <class Check>
  void for_all(const Check& check) {
    for (const Shape shape : shapes) {
      for (const Format from : {Format::Dense, Format::Csr}) {
        for (const auto& executor : runtime_.executors()) {
          if (!executor->supports(precision_of<T>)) continue;
          for (const FormatFacts& facts : format_table) {
            const State state{executor->space(), facts.format};
            SCOPED_TRACE(std::to_string(shape.rows) + " x " + std::to_string(shape.cols) + ", " +
                         std::string(name(from)) + " to " + name(state));
            auto matrix = from == Format::Dense
                              ? runtime_.matrix(Dense<T>::sized(shape.rows, shape.cols))
                              : runtime_.matrix(empty_csr<T>(shape));
            check(shape, matrix, state);
          }
        }
      }
    }
  }
  Runtime runtime_{RuntimeOptions{}};
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(EmptyShapes, Elements);

TYPED_TEST(EmptyShapes, ProductsGiveBetaY) {
  using T = TypeParam;
  this->for_all([](Shape shape, GMatrix<T>& matrix, State state) {
    matrix.pin(state);
    const std::vector<T> x(static_cast<std::size_t>(shape.cols), T(1));
    for (const T beta : {T(0), T(1), T(-2)}) {
      // With beta = 0, what y held is not looked at.
      const T old = beta == T(0) ? std::numeric_limits<T>::quiet_NaN() : T(3);
      const std::vector<T> expected(static_cast<std::size_t>(shape.rows),
                                    beta == T(0) ? T(0) : beta * old);
      std::vector<T> y(static_cast<std::size_t>(shape.rows), old);
      matrix.multiply(T(2), std::span<const T>(x), beta, std::span<T>(y));
      EXPECT_EQ(y, expected);
      const Vector<T> x_vector(shape.cols, T(1));
      Vector<T> y_vector(shape.rows, old);
      matrix.multiply(T(2), x_vector, beta, y_vector);
      EXPECT_TRUE(std::ranges::equal(y_vector.read(), expected));
    }
  });
}

TYPED_TEST(EmptyShapes, EveryOtherOperationIsDone) {
  using T = TypeParam;
  this->for_all([](Shape shape, GMatrix<T>& matrix, State state) {
    matrix.bring_to(state);
    EXPECT_EQ(matrix.rows(), shape.rows);
    EXPECT_EQ(matrix.cols(), shape.cols);
    EXPECT_EQ(matrix.structure().nnz, 0);
    EXPECT_EQ(matrix.structure().density(), 0);
    EXPECT_FALSE(matrix.plan().steps.empty());
    EXPECT_FALSE(matrix.explain().empty());
    for (const Format format : {Format::Dense, Format::Csr}) {
      EXPECT_EQ(rows_of(matrix.copy_out(format)), shape.rows);
      EXPECT_EQ(cols_of(matrix.copy_out(format)), shape.cols);
    }
    matrix.write_dense([](std::span<T> values) { EXPECT_TRUE(values.empty()); });
    matrix.write_csr([](const Csr<T>& pattern, std::span<T> values) {
      EXPECT_EQ(pattern.nnz, 0);
      EXPECT_TRUE(values.empty());
    });
    matrix.assign(Dense<T>::sized(shape.cols, shape.rows));
    EXPECT_EQ(matrix.rows(), shape.cols);
    matrix.bring_to(state);
    const std::size_t copies = matrix.states().size();
    const State first{Space::host(), Format::Dense};
    EXPECT_EQ(matrix.evict(first), copies > 1);
  });
}

TYPED_TEST(EmptyShapes, OperationsOnVectors) {
  using T = TypeParam;
  Vector<T> x(0);
  Vector<T> y(0);
  EXPECT_EQ(dot(this->runtime_, x, y), T(0));
  EXPECT_EQ(sum(this->runtime_, x), T(0));
  EXPECT_EQ(norm(this->runtime_, x), T(0));
  axpby(this->runtime_, T(1), x, T(2), y);
  copy(this->runtime_, x, y);
  scale(this->runtime_, T(2), x);
  fill(this->runtime_, T(2), x);
  add_scalar(this->runtime_, T(2), x);
  relu(this->runtime_, x);
  multiply_elements(this->runtime_, x, x, y);
  EXPECT_EQ(y.size(), 0);
  EXPECT_TRUE(Vector<T>(x).read().empty());
  EXPECT_TRUE(Vector<T>().write().empty());
}

TYPED_TEST(EmptyShapes, ComeFromEverywhereAndGoToFiles) {
  using T = TypeParam;
  const auto file = std::filesystem::temp_directory_path() /
                    ("switchyard-empty" + std::to_string(::getpid()) + ".mtx");
  for (const Shape shape : shapes) {
    SCOPED_TRACE(std::to_string(shape.rows) + " x " + std::to_string(shape.cols));
    const auto expect_shape = [&](const Storage<T>& storage) {
      EXPECT_EQ(rows_of(storage), shape.rows);
      EXPECT_EQ(cols_of(storage), shape.cols);
      write_matrix_market(storage, file);
      const auto again = read_matrix_market<T>(file);
      EXPECT_EQ(format_of(again), format_of(storage));
      EXPECT_EQ(rows_of(again), shape.rows);
      EXPECT_EQ(cols_of(again), shape.cols);
    };
    expect_shape(empty_csr<T>(shape));
    expect_shape(Dense<T>::sized(shape.rows, shape.cols));
    const std::vector<Index> offsets(static_cast<std::size_t>(shape.rows + 1), 0);
    expect_shape(csr_from_arrays<T>(shape.rows, shape.cols, offsets, {}, {}));
    expect_shape(csr_from_eigen(Eigen::SparseMatrix<T>(shape.rows, shape.cols)));
    using Plain = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
    expect_shape(dense_from_eigen(Plain(shape.rows, shape.cols)));
    const auto made =
        this->runtime_.template matrix<T>(shape.rows, shape.cols, std::span<const T>());
    EXPECT_EQ(made.rows(), shape.rows);
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace switchyard
