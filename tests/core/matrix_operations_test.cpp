// Operations on whole matrices: against plain loops, in every format and space.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <switchyard/switchyard.hpp>

#include "core/every_state.hpp"

namespace switchyard {
namespace {

using testing::dense_values;
using testing::expect_same;
using testing::host_only;
using testing::random_dense;
using testing::random_vector;

template <class T>
class MatrixOperations : public testing::InEveryState<T> {
 protected:
  std::vector<Space> spaces() { return testing::spaces_for<T>(this->runtime_); }
  Vector<T> in(Space space, const std::vector<T>& values) {
    return testing::vector_in<T>(this->runtime_, space, values);
  }
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MatrixOperations, Elements);

/// The sums of rows and of columns, and of their magnitudes, by a plain loop.
template <Element T>
struct Sums {
  std::vector<double> of_rows;
  std::vector<double> of_columns;
  std::vector<double> row_weights;
  std::vector<double> column_weights;

  Sums(const GMatrix<T>& matrix, const std::vector<T>& values)
      : of_rows(static_cast<std::size_t>(matrix.rows())),
        of_columns(static_cast<std::size_t>(matrix.cols())),
        row_weights(of_rows.size()),
        column_weights(of_columns.size()) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::size_t i = k / of_columns.size();
      const std::size_t j = k % of_columns.size();
      const auto value = static_cast<double>(values[k]);
      of_rows[i] += value;
      of_columns[j] += value;
      row_weights[i] += std::fabs(value);
      column_weights[j] += std::fabs(value);
    }
  }
};

double largest_of(const std::vector<double>& numbers) {
  double largest = 0;
  for (const double number : numbers) largest = std::max(largest, number);
  return largest;
}

/// The bound on a product of so many elements that are rounded in T.
template <Element T>
double bound_of(double weight, std::size_t elements) {
  return weight * static_cast<double>(elements + 1) *
         static_cast<double>(std::numeric_limits<T>::epsilon());
}

TYPED_TEST(MatrixOperations, TheTransposeIsAMatrixOfItsOwn) {
  using T = TypeParam;
  this->in_every_state([&](GMatrix<T>& matrix, const std::vector<T>& values) {
    const auto before = matrix.states();
    GMatrix<T> other = matrix.transposed();
    ASSERT_EQ(other.rows(), matrix.cols());
    ASSERT_EQ(other.cols(), matrix.rows());
    std::vector<T> wanted(values.size());
    const auto rows = static_cast<std::size_t>(matrix.rows());
    const auto cols = static_cast<std::size_t>(matrix.cols());
    for (std::size_t k = 0; k < values.size(); ++k) wanted[k % cols * rows + k / cols] = values[k];
    expect_same(dense_values(other), wanted);
    EXPECT_EQ(std::ranges::count(matrix.states(), before.front()), 1);
    scale(other, T(2));
    expect_same(dense_values(matrix), values);
  });
}

TYPED_TEST(MatrixOperations, CompressedCopiesAreTransposedWithoutConversion) {
  using T = TypeParam;
  const Runtime runtime(host_only());
  GMatrix<T> matrix = runtime.matrix(random_dense<T>(60, 90, 0.1, 1));
  constexpr auto in = [](Format format) { return std::vector{State{Space::host(), format}}; };
  EXPECT_EQ(matrix.transposed().states(), in(Format::Dense));
  for (const auto& [from, to] :
       {std::pair{Format::Csr, Format::Csc}, std::pair{Format::Csc, Format::Csr}}) {
    ASSERT_TRUE(this->brought(matrix, {Space::host(), from}));
    const GMatrix<T> other = matrix.transposed();
    EXPECT_EQ(other.states(), in(to));
    EXPECT_EQ(matrix.states(), in(from));
    EXPECT_EQ(other.counters().conversions, 0);
    // As a matrix of its own it is planned, and moved, like any other.
    const std::vector<T> xs = random_vector<T>(60, 2);
    std::vector<T> by_transpose(90);
    std::vector<T> by_matrix(90);
    other.multiply(std::span<const T>(xs), std::span<T>(by_transpose));
    matrix.multiply_transposed(std::span<const T>(xs), std::span<T>(by_matrix));
    for (std::size_t j = 0; j < by_matrix.size(); ++j) {
      ASSERT_NEAR(by_transpose[j], by_matrix[j], bound_of<T>(60, 60));
    }
  }
  ASSERT_TRUE(this->brought(matrix, {Space::host(), Format::Bitmap}));
  EXPECT_EQ(matrix.transposed().states(), in(Format::Csc));
  EXPECT_EQ(matrix.transposed().transposed().states(), in(Format::Csr));
}

TYPED_TEST(MatrixOperations, RowsAndColumnsAreAddedUpInEveryState) {
  using T = TypeParam;
  this->in_every_state([&](GMatrix<T>& matrix, const std::vector<T>& values) {
    const Sums<T> wanted(matrix, values);
    Vector<T> rows(matrix.rows(), T(7));
    Vector<T> columns(matrix.cols(), T(7));
    row_sums(matrix, rows);
    column_sums(matrix, columns);
    for (std::size_t i = 0; i < wanted.of_rows.size(); ++i) {
      ASSERT_NEAR(rows[static_cast<Index>(i)], wanted.of_rows[i],
                  bound_of<T>(wanted.row_weights[i], wanted.of_columns.size()));
    }
    for (std::size_t j = 0; j < wanted.of_columns.size(); ++j) {
      ASSERT_NEAR(columns[static_cast<Index>(j)], wanted.of_columns[j],
                  bound_of<T>(wanted.column_weights[j], wanted.of_rows.size()));
    }
  });
}

TYPED_TEST(MatrixOperations, TheDiagonalIsTheLoopInEveryState) {
  using T = TypeParam;
  this->in_every_state([&](GMatrix<T>& matrix, const std::vector<T>& values) {
    std::vector<T> wanted(static_cast<std::size_t>(std::min(matrix.rows(), matrix.cols())));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      wanted[i] = values[i * static_cast<std::size_t>(matrix.cols()) + i];
    }
    Vector<T> found(std::ssize(wanted), T(7));
    diagonal(matrix, found);
    expect_same<T>({found.read().begin(), found.read().end()}, wanted);
  });
}

TYPED_TEST(MatrixOperations, NormsAreTheLoopInEveryState) {
  using T = TypeParam;
  this->in_every_state([&](GMatrix<T>& matrix, const std::vector<T>& values) {
    const Sums<T> sums(matrix, values);
    // Sums are rounded in double, 32 side by side, and the result in T.
    const double epsilon =
        2 * std::numeric_limits<T>::epsilon() +
        static_cast<double>(values.size()) / 32 * std::numeric_limits<double>::epsilon();
    long double squares = 0;
    T largest = 0;
    for (const T value : values) {
      squares += static_cast<long double>(value) * static_cast<long double>(value);
      largest = std::max(largest, std::fabs(value));
    }
    const double of_rows = largest_of(sums.row_weights);
    const double of_columns = largest_of(sums.column_weights);
    EXPECT_NEAR(norm_infinity(matrix), of_rows, epsilon * of_rows);
    EXPECT_NEAR(norm_one(matrix), of_columns, epsilon * of_columns);
    EXPECT_EQ(norm_max(matrix), largest);
    const auto frobenius = static_cast<double>(std::sqrt(squares));
    EXPECT_NEAR(norm(matrix), frobenius, epsilon * frobenius);
  });
}

TYPED_TEST(MatrixOperations, RowsAndColumnsAreScaledInEveryState) {
  using T = TypeParam;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const auto check = [&](GMatrix<T>& matrix, std::vector<T> values, bool by_rows, Space space) {
    auto factors = random_vector<T>(by_rows ? matrix.rows() : matrix.cols(), 3);
    if (!factors.empty()) factors[factors.size() / 2] = infinity;
    const Vector<T> vector = this->in(space, factors);
    by_rows ? scale_rows(matrix, vector) : scale_columns(matrix, vector);
    const auto cols = static_cast<std::size_t>(matrix.cols());
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (values[k] != T(0)) values[k] *= factors[by_rows ? k / cols : k % cols];
    }
    EXPECT_EQ(matrix.states().size(), 1U);
    EXPECT_EQ(matrix.counters().maps, 1);
    expect_same(dense_values(matrix), values);
  };
  const auto spaces = this->spaces();
  this->in_every_state([&](GMatrix<T>& matrix, const std::vector<T>& values) {
    check(matrix, values, true, spaces.front());
  });
  this->in_every_state([&](GMatrix<T>& matrix, const std::vector<T>& values) {
    check(matrix, values, false, spaces.back());
  });
}

TYPED_TEST(MatrixOperations, ElementsAreMappedWithVectorsInEveryState) {
  using T = TypeParam;
  const auto balanced = [](auto value, auto row, auto column) { return value / (row * column); };
  const auto placed = [](auto i, auto j, auto value, auto column) {
    return where(i < j, value - column, T(3) * value);
  };
  this->in_every_state([&](GMatrix<T>& matrix, const std::vector<T>& values) {
    const auto rs = random_vector<T>(matrix.rows(), 3);
    const auto cs = random_vector<T>(matrix.cols(), 4);
    const Vector<T> r{std::span<const T>(rs)};
    const Vector<T> c = this->in(this->spaces().back(), cs);
    map_with_both(matrix, balanced, r, c);
    map_with_columns(matrix, placed, c);
    std::vector<T> wanted = values;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const std::size_t i = k / cs.size();
      const std::size_t j = k % cs.size();
      if (wanted[k] != T(0)) wanted[k] = balanced(wanted[k], rs[i], cs[j]);
      if (wanted[k] != T(0))
        wanted[k] = placed(static_cast<Index>(i), static_cast<Index>(j), wanted[k], cs[j]);
    }
    expect_same(dense_values(matrix), wanted);
    EXPECT_EQ(matrix.counters().maps, 2);
  });
}

TYPED_TEST(MatrixOperations, InfiniteElementsStayInTheirRowsAndColumns) {
  using T = TypeParam;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> elements{1, infinity, 0, 0, 2, 0, nan, 0, 3, 0, 0, 4};
  for (const Format format : {Format::Dense, Format::Csr, Format::Csc, Format::Ell, Format::Bsr2}) {
    GMatrix<T> matrix = this->runtime_.matrix(4, 3, elements);
    ASSERT_TRUE(this->brought(matrix, {Space::host(), format}));
    Vector<T> rows(4);
    Vector<T> columns(3);
    Vector<T> middle(3);
    row_sums(matrix, rows);
    column_sums(matrix, columns);
    diagonal(matrix, middle);
    expect_same<T>({rows.read().begin(), rows.read().end()}, {infinity, 2, nan, 4});
    expect_same<T>({columns.read().begin(), columns.read().end()}, {nan, infinity, 7});
    expect_same<T>({middle.read().begin(), middle.read().end()}, {1, 2, 3});
    EXPECT_TRUE(std::isnan(norm_one(matrix)));
    EXPECT_TRUE(std::isnan(norm_infinity(matrix)));
    EXPECT_TRUE(std::isnan(norm_max(matrix)));
    EXPECT_TRUE(std::isnan(norm(matrix)));
  }
}

TYPED_TEST(MatrixOperations, WrongSizesAreRefused) {
  using T = TypeParam;
  GMatrix<T> matrix = this->runtime_.matrix(random_dense<T>(4, 5, 1, 1));
  const auto values = dense_values(matrix);
  Vector<T> of_rows(4, T(2));
  Vector<T> of_columns(5, T(2));
  const auto refused = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code() == ErrorCode::DimensionMismatch;
    }
    return false;
  };
  EXPECT_TRUE(refused([&] { row_sums(matrix, of_columns); }));
  EXPECT_TRUE(refused([&] { column_sums(matrix, of_rows); }));
  EXPECT_TRUE(refused([&] { diagonal(matrix, of_columns); }));
  EXPECT_TRUE(refused([&] { scale_rows(matrix, of_columns); }));
  EXPECT_TRUE(refused([&] { scale_columns(matrix, of_rows); }));
  const auto product = [](auto a, auto r, auto c) { return a * r * c; };
  EXPECT_TRUE(refused([&] { map_with_both(matrix, product, of_columns, of_rows); }));
  const MultiVector<T> block(3, 5);
  EXPECT_TRUE(refused([&] { column_sums(this->runtime_, block, of_rows); }));
  EXPECT_TRUE(refused([&] {
    static_cast<void>(map_reduce(
        this->runtime_, [](auto a, auto b) { return a * b; }, fold::plus, block,
        MultiVector<T>(5, 3)));
  }));
  expect_same(dense_values(matrix), values);
  EXPECT_EQ(of_rows[3], T(2));
  EXPECT_EQ(of_columns[4], T(2));
}

TYPED_TEST(MatrixOperations, SumsCountAsProducts) {
  using T = TypeParam;
  const Runtime runtime(host_only());
  const GMatrix<T> matrix = runtime.matrix(random_dense<T>(40, 50, 0.3, 1));
  Vector<T> rows(40);
  Vector<T> columns(50);
  row_sums(matrix, rows);
  column_sums(matrix, columns);
  EXPECT_EQ(matrix.counters().calls, 2);
}

/// Element (i, j) of a block of several vectors.
template <Element T>
T at(const std::vector<T>& values, Index columns, Index i, Index j) {
  return values[static_cast<std::size_t>(i * columns + j)];
}

TYPED_TEST(MatrixOperations, VectorsSideBySideAreFoldedInEverySpace) {
  using T = TypeParam;
  const auto weighted = [](auto row, auto column, auto a, auto b) {
    return where(row % 3 == column, a * b, T(0));
  };
  for (const auto& [rows, columns] :
       {std::pair{0, 3}, std::pair{1, 1}, std::pair{257, 5}, std::pair{20'000, 3}}) {
    const auto as = random_vector<T>(rows * columns, 1);
    const auto bs = random_vector<T>(rows * columns, 2);
    std::vector<double> sums(static_cast<std::size_t>(columns));
    double product = 0;
    T largest = -std::numeric_limits<T>::infinity();
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        const T a = at(as, columns, i, j);
        sums[static_cast<std::size_t>(j)] += static_cast<double>(a);
        product += static_cast<double>(weighted(i, j, a, at(bs, columns, i, j)));
        largest = std::max(largest, a);
      }
    }
    for (const Space space : this->spaces()) {
      const Index size = Index{rows} * columns;
      MultiVector<T> a(rows, columns);
      MultiVector<T> b(rows, columns);
      a.elements() = this->in(space, as);
      b.elements() = this->in(space, bs);
      const double bound = bound_of<T>(1, static_cast<std::size_t>(size));
      EXPECT_EQ(reduce(this->runtime_, fold::max, a), largest);
      EXPECT_NEAR(map_reduce(this->runtime_, weighted, fold::plus, a, b), product, bound);
      Vector<T> found(columns, T(9));
      column_sums(this->runtime_, a, found);
      for (std::size_t j = 0; j < sums.size(); ++j) {
        ASSERT_NEAR(found[static_cast<Index>(j)], sums[j], bound);
      }
    }
  }
}

TYPED_TEST(MatrixOperations, TheNumberOfAColumnIsAnArgumentOfTheKernel) {
  using T = TypeParam;
  RecordedFunction first;
  RecordedFunction second;
  const auto in_column = [](Index of) {
    return [of](auto, auto column, auto value) { return where(column == of, value, T(0)); };
  };
  constexpr auto place = skeleton::Place::RowAndColumn;
  const auto record = [](const auto& f, RecordedFunction& into) {
    const auto function = skeleton::user_function<T, place, 1>(f);
    function.record(function.object, into);
    return skeleton::text_of(into);
  };
  EXPECT_EQ(record(in_column(1), first), record(in_column(2), second));
  EXPECT_EQ(first.problem, nullptr);
}

}  // namespace
}  // namespace switchyard
