// Kernels for warps against sums in higher precision: what only NVIDIA's devices run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "emulated.hpp"

namespace switchyard::warps {
namespace {

template <class T>
class Matrix {
 public:
  Matrix(long rows, long cols) {
    made_.rows = rows;
    made_.cols = cols;
    made_.offsets = {0};
    std::uniform_real_distribution<T> number(-1, 1);
    for (long i = 0; i < rows; ++i) made_.x.push_back(number(random_));
  }
  /// The next row has elements in those columns, of sizes 2^-reach to 2^reach.
  void add_row(const std::set<int>& columns, int reach) {
    std::uniform_real_distribution<T> fraction(-2, 2);
    std::uniform_int_distribution<int> exponent(-reach, reach);
    for (const int column : columns) {
      made_.columns.push_back(column);
      made_.values.push_back(std::ldexp(fraction(random_), exponent(random_)));
    }
    made_.offsets.push_back(static_cast<int>(made_.columns.size()));
  }
  /// So many random columns, below `end` if that is given.
  std::set<int> some_columns(int count, long end = 0) {
    std::uniform_int_distribution<int> column(0, static_cast<int>(end > 0 ? end : made_.cols) - 1);
    std::set<int> columns;
    for (int k = 0; k < count; ++k) columns.insert(column(random_));
    return columns;
  }
  Product<T>& product() { return made_; }

 private:
  Product<T> made_;
  std::mt19937 random_{7};
};

/// The sums of a product's columns, exact for float, with 64 bits for double.
template <class T>
std::vector<long double> sums_of(const Product<T>& a) {
  std::vector<long double> sums(static_cast<std::size_t>(a.cols));
  for (std::size_t i = 0; i < a.x.size(); ++i) {
    for (auto k = static_cast<std::size_t>(a.offsets[i]);
         k < static_cast<std::size_t>(a.offsets[i + 1]); ++k) {
      sums[static_cast<std::size_t>(a.columns[k])] += T(a.values[k] * a.x[i]);
    }
  }
  return sums;
}

/// Half a unit in the last place, and what is lost of 64 bits.
template <class T>
long double allowance(long double sum) {
  int exponent = 0;
  std::frexp(sum, &exponent);
  const int places = std::numeric_limits<T>::digits;
  const long double unit =
      std::ldexp(1.0L, std::max(exponent, std::numeric_limits<T>::min_exponent) - places);
  return unit / 2 + std::ldexp(1.0L, exponent - 60);
}

template <class T>
void expect_nearest(const Product<T>& a, const std::vector<T>& y, const char* what) {
  const auto sums = sums_of(a);
  for (std::size_t j = 0; j < y.size(); ++j) {
    const long double error = std::abs(sums[j] - static_cast<long double>(y[j]));
    ASSERT_LE(error, allowance<T>(sums[j])) << what << ", column " << j;
  }
}

/// Where bins are more than planes, what is small beside all products of the column may be lost.
template <class T>
void expect_close(const Product<T>& a, const std::vector<T>& y) {
  Product<T> of_sizes = a;
  for (T& value : of_sizes.values) value = std::abs(value);
  for (T& value : of_sizes.x) value = std::abs(value);
  const auto sums = sums_of(a);
  const auto sizes = sums_of(of_sizes);
  for (std::size_t j = 0; j < y.size(); ++j) {
    const long double error = std::abs(sums[j] - static_cast<long double>(y[j]));
    ASSERT_LE(error, sizes[j] * std::numeric_limits<T>::epsilon()) << "column " << j;
  }
}

/// In every way to launch it, one after another with the same words; what is there before counts
/// for nothing, and the bits are the same.
template <class T>
void expect_right(Product<T> a, Emulated<T>& kernel, KeptSums& sums, const char* what) {
  std::vector<T> first;
  for (int way = 0; way < 3; ++way) {
    a.finishes_at_once = way != 1;
    a.combines = way == 2;
    const std::vector<T> y = kernel(a, sums);
    expect_nearest(a, y, what);
    if (way == 0) first = y;
    EXPECT_EQ(y, first) << what << ", way " << way;
    const auto rest = std::find_if(sums.words.begin() + control_words, sums.words.end(),
                                   [](unsigned long word) { return word != 0; });
    EXPECT_EQ(rest, sums.words.end()) << what << ": words are left behind";
  }
}

/// Matrices that are added in all ways.
template <class T>
void expect_all_right(Emulated<T>& kernel) {
  KeptSums sums;
  {
    Matrix<T> even(300, 1500);
    for (int i = 0; i < 300; ++i) even.add_row(even.some_columns(9), 8);
    expect_right(even.product(), kernel, sums, "even rows");
  }
  {
    Matrix<T> uneven(1200, 900);
    for (int i = 0; i < 1200; ++i) uneven.add_row(uneven.some_columns(i % 400 == 7 ? 700 : 0), 8);
    expect_right(uneven.product(), kernel, sums, "long rows and empty ones");
  }
  {
    Matrix<T> narrow(600, 7);
    for (int i = 0; i < 600; ++i) narrow.add_row(narrow.some_columns(5), 8);
    expect_right(narrow.product(), kernel, sums, "columns that repeat");
  }
  {
    // Columns 3 and 515 share a slot of a tile of 512.
    Matrix<T> hub(700, 3000);
    for (int i = 0; i < 700; ++i) {
      auto columns = hub.some_columns(3);
      columns.insert(i % 2 == 0 ? 3 : 515);
      hub.add_row(columns, 8);
    }
    expect_right(hub.product(), kernel, sums, "frequent columns that share a slot");
  }
}

/// Products of very different sizes, with planes for few of them.
template <class T>
void expect_right_with_few_planes(Emulated<T>& kernel) {
  KeptSums sums;
  Matrix<T> matrix(300, 400);
  for (int i = 0; i < 300; ++i) matrix.add_row(matrix.some_columns(6), 55);
  Product<T>& a = matrix.product();
  a.few_planes = true;
  for (const bool combines : {false, true}) {
    a.combines = combines;
    a.finishes_at_once = combines;
    expect_close(a, kernel(a, sums));
  }
}

/// Columns with both infinities or NaN have NaN, others one infinity.
template <class T>
void expect_right_beyond_numbers(Emulated<T>& kernel) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  KeptSums sums;
  Matrix<T> matrix(200, 5);
  for (int i = 0; i < 200; ++i) matrix.add_row({0, 1, 2, 3, 4}, 8);
  Product<T>& a = matrix.product();
  for (T& value : a.x) value = T(1);
  a.values[5 * 17] = infinity;
  a.values[5 * 18 + 1] = -infinity;
  a.values[5 * 19 + 2] = infinity;
  a.values[5 * 150 + 2] = -infinity;
  a.values[5 * 60 + 3] = std::numeric_limits<T>::quiet_NaN();
  for (const bool combines : {false, true}) {
    a.combines = combines;
    const auto y = kernel(a, sums);
    EXPECT_EQ(y[0], infinity);
    EXPECT_EQ(y[1], -infinity);
    EXPECT_TRUE(std::isnan(y[2]));
    EXPECT_TRUE(std::isnan(y[3]));
    EXPECT_TRUE(std::isfinite(y[4]));
  }
}

TEST(Warps, ScatterFloats) { expect_all_right<float>(scatter_of_float); }
TEST(Warps, ScatterDoubles) { expect_all_right<double>(scatter_of_double); }
TEST(Warps, ScatterFloatsByWords) { expect_all_right<float>(scatter_by_words); }
TEST(Warps, WindowsOfFloats) { expect_all_right<float>(windows_of_float); }
TEST(Warps, WindowsOfDoubles) { expect_all_right<double>(windows_of_double); }

TEST(Warps, FewPlanes) {
  expect_right_with_few_planes<float>(scatter_of_float);
  expect_right_with_few_planes<double>(scatter_of_double);
}
TEST(Warps, InfinitiesAndNaN) {
  expect_right_beyond_numbers<float>(scatter_of_float);
  expect_right_beyond_numbers<double>(scatter_of_double);
  expect_right_beyond_numbers<float>(scatter_by_words);
  expect_right_beyond_numbers<float>(windows_of_float);
  expect_right_beyond_numbers<double>(windows_of_double);
}

}  // namespace
}  // namespace switchyard::warps
