// Products of CSR with its transpose on a device: sums that no order of their products changes,
// whichever kernel adds them.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <switchyard/backends/reference.hpp>

#include "formats.hpp"
#include "opencl_fixture.hpp"

namespace switchyard::opencl::testing {
namespace {

using Elements = ::testing::Types<float, double>;

template <class T>
class OpenClScatter : public OnDeviceOf<T> {
 protected:
  /// A^T x by every kernel, twice each: no bit differs.
  static std::vector<T> product(const Storage<T>& matrix, const std::vector<T>& x) {
    const Storage<T> there = transferred(matrix, OnDevice::memory());
    const std::vector<T> first = product_by("scatter", there, x);
    for (const std::string_view variant : {"scatter", "windows", "windows"}) {
      EXPECT_TRUE(same_bits(first, product_by(variant, there, x))) << variant;
    }
    return first;
  }
  static std::vector<T> product_by(std::string_view variant, const Storage<T>& there,
                                   const std::vector<T>& x) {
    const auto* const operation =
        find_multiply<T>(Format::Csr, Backend::OpenCL, variant, Request{Operand::Transpose, 1});
    Array<T> y =
        OnDevice::on_device(std::vector<T>(static_cast<std::size_t>(cols_of(there)), T(7)));
    operation->run({OnDevice::device(), there, T(1), OnDevice::on_device(x), T(0), y});
    OnDevice::device().finish();
    return OnDevice::on_host(y);
  }
  static void expect_right(const Storage<T>& matrix, const std::vector<T>& x) {
    const std::vector<T> zeros(static_cast<std::size_t>(cols_of(matrix)));
    const auto expected = reference_multiply<T>(matrix, T(1), std::span<const T>(x), T(0),
                                                std::span<const T>(zeros), {Operand::Transpose, 1});
    const std::vector<T> got = product(matrix, x);
    EXPECT_LE(worst_error<T>(expected, std::span<const T>(got)), 1);
  }
};
TYPED_TEST_SUITE(OpenClScatter, Elements);

/// Rows of one element each, in one column.
template <Element T>
Storage<T> column_of(const std::vector<T>& values) {
  std::vector<Triplet<T>> triplets;
  for (const T value : values) triplets.push_back({std::ssize(triplets), 0, value});
  return csr_from_triplets<T>(std::ssize(values), 1, triplets);
}

/// Of very different sizes.
template <Element T>
std::vector<T> values_of_all_sizes(std::size_t count) {
  constexpr int reach = std::numeric_limits<T>::max_exponent / 2 - 1;
  std::mt19937 random(3);
  std::uniform_int_distribution<int> exponent(-reach, reach);
  std::uniform_real_distribution<T> fraction(T(-2), T(2));
  std::vector<T> values(count);
  for (T& value : values) value = std::ldexp(fraction(random), exponent(random));
  return values;
}

TYPED_TEST(OpenClScatter, TheOrderOfRowsChangesNoBit) {
  using T = TypeParam;
  constexpr Index rows = 3000;
  std::vector<Index> order(rows);
  std::iota(order.begin(), order.end(), 0);
  std::vector<Triplet<T>> triplets;
  const auto values = values_of_all_sizes<T>(rows * 3);
  for (Index k = 0; k < std::ssize(values); ++k) {
    triplets.push_back({k / 3, (k / 3 * 7 + k % 3 * 11) % 40, values[static_cast<std::size_t>(k)]});
  }
  const auto x = random_values<T>(rows, 5);
  const Storage<T> matrix = csr_from_triplets<T>(rows, 40, triplets);
  TestFixture::expect_right(matrix, x);
  const std::vector<T> wanted = TestFixture::product(matrix, x);
  std::mt19937 random(4);
  for (int turn = 0; turn < 3; ++turn) {
    std::ranges::shuffle(order, random);
    std::vector<Triplet<T>> moved = triplets;
    std::vector<T> moved_x(x.size());
    for (Triplet<T>& element : moved) element.row = order[static_cast<std::size_t>(element.row)];
    for (std::size_t i = 0; i < x.size(); ++i) moved_x[static_cast<std::size_t>(order[i])] = x[i];
    const Storage<T> other = csr_from_triplets<T>(rows, 40, moved);
    EXPECT_TRUE(same_bits(wanted, TestFixture::product(other, moved_x)));
  }
}

// A column's largest product says what is lost of the others: nothing that a sum would keep.
TYPED_TEST(OpenClScatter, SmallProductsBesideLargeOnesCount) {
  using T = TypeParam;
  constexpr T small = std::numeric_limits<T>::epsilon();
  std::vector<T> values(1000, small);
  values.front() = T(1);
  const Storage<T> matrix = column_of(values);
  const std::vector<T> ones(values.size(), T(1));
  EXPECT_EQ(TestFixture::product(matrix, ones).front(), T(1) + T(999) * small);
  values.back() = T(-1);
  EXPECT_EQ(TestFixture::product(column_of(values), ones).front(), T(998) * small);
}

TYPED_TEST(OpenClScatter, TheSmallestAndTheLargestNumbersAreSummed) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const std::vector<T> ones(4, T(1));
  const auto sum = [&](const std::vector<T>& values) {
    return TestFixture::product(column_of(values), ones).front();
  };
  EXPECT_EQ(sum({Limits::denorm_min(), Limits::denorm_min(), -Limits::min(), Limits::min()}),
            2 * Limits::denorm_min());
  EXPECT_EQ(sum({Limits::max(), Limits::max(), -Limits::max(), -Limits::max()}), T(0));
  EXPECT_EQ(sum({Limits::max(), Limits::max(), T(1), T(1)}), Limits::infinity());
  EXPECT_EQ(sum({T(-0.0), T(0), T(0), T(-0.0)}), T(0));
}

// What large products cancelled is not in the way of small ones, wherever their bins end.
TYPED_TEST(OpenClScatter, SmallProductsAreLeftWhereLargeOnesCancel) {
  using T = TypeParam;
  for (int exponent = -10; exponent <= 10; ++exponent) {
    const T large = std::ldexp(T(1), exponent);
    for (const T small : {T(0x1p-100), T(-0x1.8p-90), std::numeric_limits<T>::denorm_min()}) {
      const std::vector<T> values{large, large, -2 * large, small};
      const std::vector<T> y = TestFixture::product(column_of(values), std::vector<T>(4, T(1)));
      EXPECT_EQ(y.front(), small) << exponent;
    }
  }
}

TYPED_TEST(OpenClScatter, TheLargestProductsBesideInfinityInManyRows) {
  using T = TypeParam;
  constexpr T large = std::numeric_limits<T>::max() / 4;
  constexpr T inf = std::numeric_limits<T>::infinity();
  for (const Index rows : {Index{300'000}, Index{100'000}}) {
    const std::vector<Triplet<T>> triplets{
        {0, 0, large}, {5, 0, large},        {9, 0, large},        {7, 1, inf},
        {9, 2, T(1)},  {rows - 1, 2, large}, {rows - 1, 3, -large}};
    const Storage<T> csr = csr_from_triplets<T>(rows, 4, triplets);
    const std::vector<T> ones(static_cast<std::size_t>(rows), T(1));
    EXPECT_EQ(TestFixture::product(csr, ones), (std::vector<T>{3 * large, inf, large, -large}));
  }
}

TYPED_TEST(OpenClScatter, NonfiniteProductsStayInTheirColumns) {
  using T = TypeParam;
  constexpr T inf = std::numeric_limits<T>::infinity();
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<Triplet<T>> triplets{{0, 0, inf},  {1, 0, T(1)}, {0, 1, -inf}, {2, 1, T(-3)},
                                         {0, 2, inf},  {2, 2, -inf}, {1, 3, nan},  {2, 3, inf},
                                         {0, 4, T(2)}, {1, 4, T(3)}};
  const Storage<T> csr = csr_from_triplets<T>(3, 6, triplets);
  const std::vector<T> y = TestFixture::product(csr, {T(1), T(1), T(1)});
  EXPECT_EQ(y[0], inf);
  EXPECT_EQ(y[1], -inf);
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_TRUE(std::isnan(y[3]));
  EXPECT_EQ(y[4], T(5));
  EXPECT_EQ(y[5], T(0));
  // Zero times infinity.
  EXPECT_TRUE(std::isnan(TestFixture::product(csr, {T(0), T(1), T(1)})[0]));
}

// Tiles that many empty rows lie in look for the row of each element.
TYPED_TEST(OpenClScatter, EmptyRowsBetweenElements) {
  using T = TypeParam;
  std::vector<Triplet<T>> triplets;
  for (Index k = 0; k < 50; ++k) triplets.push_back({k * 4001, k % 7, T(k + 1)});
  const Storage<T> csr = csr_from_triplets<T>(250'000, 7, triplets);
  TestFixture::expect_right(csr, random_values<T>(rows_of(csr), 8));
}

/// Elements in so many columns that not all bins have a plane, some of them with each of the
/// `values` in turn, in rows of 3.
template <Element T>
Storage<T> wide_matrix(const std::vector<T>& values) {
  constexpr Index rows = 500;
  constexpr Index cols = 3'000'000;
  std::vector<Triplet<T>> triplets;
  for (Index k = 0; k < 3 * rows; ++k) {
    const Index column = (k % 40) * 70'001 + k % 3;
    triplets.push_back({k / 3, column, values[static_cast<std::size_t>(k) % values.size()]});
  }
  return csr_from_triplets<T>(rows, cols, triplets);
}

TYPED_TEST(OpenClScatter, BinsThatShareAPlane) {
  using T = TypeParam;
  // One power of ten apart, all of them exact; then so far that planes are exceeded, where each
  // column is added again by itself.
  TestFixture::expect_right(wide_matrix<T>({T(1), T(-10), T(0.1)}), random_values<T>(500, 9));
  const auto far = values_of_all_sizes<T>(1500);
  TestFixture::expect_right(wide_matrix<T>(far), random_values<T>(500, 9));
  // And as before after that.
  TestFixture::expect_right(wide_matrix<T>({T(1), T(-10), T(0.1)}), random_values<T>(500, 9));
}

TYPED_TEST(OpenClScatter, ColumnsAddedAgainKeepWhatIsNotFinite) {
  using T = TypeParam;
  constexpr T inf = std::numeric_limits<T>::infinity();
  std::vector<T> values = values_of_all_sizes<T>(1500);
  values[7] = inf;
  const Storage<T> csr = wide_matrix<T>(values);
  const std::vector<T> y = TestFixture::product(csr, std::vector<T>(500, T(1)));
  EXPECT_EQ(y[7 * 70'001 + 1], inf);
  EXPECT_TRUE(std::isfinite(y[8 * 70'001 + 2]));
}

// Where many products have the same column, some are added in local memory.
TYPED_TEST(OpenClScatter, ColumnsThatRepeat) {
  using T = TypeParam;
  std::vector<Triplet<T>> triplets;
  const auto values = values_of_all_sizes<T>(20'000);
  for (Index k = 0; k < std::ssize(values); ++k) {
    const T value = k % 50 == 0 ? values[static_cast<std::size_t>(k)] : T(1) + T(k % 13);
    triplets.push_back({k / 4, k % 4 == 0 ? 5000 : k * 7919 % 5000, value});
  }
  TestFixture::expect_right(csr_from_triplets<T>(5000, 5001, triplets), random_values<T>(5000, 10));
}

TYPED_TEST(OpenClScatter, RowsAcrossSeveralWindows) {
  using T = TypeParam;
  std::vector<Triplet<T>> triplets;
  const auto values = random_values<T>(300 * 1100, 11);
  for (Index k = 0; k < std::ssize(values); ++k) {
    triplets.push_back(
        {k / 1100, k % 1100 * 7 + k / 1100 % 7, values[static_cast<std::size_t>(k)]});
  }
  TestFixture::expect_right(csr_from_triplets<T>(300, 7700, triplets), random_values<T>(300, 12));
}

}  // namespace
}  // namespace switchyard::opencl::testing
