// Kernels for several columns with warps against sums in higher precision.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <type_traits>

#include "emulated.hpp"

namespace switchyard::warps {
namespace {

/// Rows of those lengths, of random numbers, times columns in rows of `width` elements.
template <class T>
ColumnProduct<T> product_of(const std::vector<int>& lengths, int cols, long count, long width) {
  ColumnProduct<T> made{.rows = static_cast<long>(lengths.size()), .count = count, .width = width};
  std::mt19937 random{11};
  std::uniform_real_distribution<T> number(-1, 1);
  std::uniform_int_distribution<int> column(0, cols - 1);
  made.offsets = {0};
  for (const int length : lengths) {
    for (int i = 0; i < length; ++i) {
      made.columns.push_back(column(random));
      made.values.push_back(number(random));
    }
    made.offsets.push_back(static_cast<int>(made.columns.size()));
  }
  for (long i = 0; i < cols * width; ++i) made.x.push_back(number(random));
  return made;
}

/// y = 2 A x - y, where y was 7, to a unit in the last place for each term.
template <class T>
void expect_right(const ColumnProduct<T>& a, Columns<T>& kernel, const std::string& what) {
  const std::vector<T> y = kernel(a);
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
    const auto begin = static_cast<std::size_t>(a.offsets[i]);
    const auto end = static_cast<std::size_t>(a.offsets[i + 1]);
    for (std::size_t c = 0; c < static_cast<std::size_t>(a.count); ++c) {
      long double sum = -7;
      long double size = 7;
      for (std::size_t k = begin; k < end; ++k) {
        const auto at =
            static_cast<std::size_t>(a.columns[k]) * static_cast<std::size_t>(a.width) + c;
        const long double term = 2.0L * a.values[k] * a.x[at];
        sum += term;
        size += std::abs(term);
      }
      const long double error =
          std::abs(sum - static_cast<long double>(y[i * static_cast<std::size_t>(a.count) + c]));
      ASSERT_LE(error, size * static_cast<long double>(std::numeric_limits<T>::epsilon()) *
                           static_cast<long double>(end - begin + 2))
          << what << ", row " << i << ", column " << c;
    }
  }
}

/// In which ways rows of X of that many elements can be read.
std::vector<Way> ways_for(long width) {
  if (width % 2 != 0) return {Way::One, Way::Single};
  if (width % 4 != 0) return {Way::One, Way::Pair, Way::Two};
  return {Way::Pair, Way::Two, Way::Four, Way::Eight};
}

/// Whether there is such a kernel.
template <class T>
bool has_kernel(By by, Way way) {
  if (way == Way::Eight) return by == By::Stage;
  if (way == Way::Single && by == By::Stage) return false;
  return by != By::Chunks || std::is_same_v<T, float>;
}

/// With long rows that are left to others, and without.
template <class T>
void expect_right_in_that_way(ColumnProduct<T> a, By by, Way way, unsigned teams,
                              Columns<T>& kernel) {
  a.by = by;
  a.way = way;
  a.teams = teams;
  a.long_row = 40;
  const std::string what = std::to_string(a.count) + " columns of " + std::to_string(a.width) +
                           ", " + std::to_string(teams) + " teams, by " +
                           std::to_string(static_cast<int>(by)) + ", way " +
                           std::to_string(static_cast<int>(way));
  expect_right(a, kernel, what);
  if (by == By::Strides || by == By::Quads || a.count > 4) return;
  a.long_row = 1000;
  expect_right(a, kernel, what + ", no row is left to others");
}

/// A number of columns, and the elements of a row of X.
struct Shape {
  long count, width;
};

/// All kernels, with one team a row, with several and with more than a warp has: rows without
/// elements, longer ones than a group holds, and more of them in one warp than one.
template <class T>
void expect_all_right(Columns<T>& kernel, const std::vector<Shape>& shapes) {
  std::vector<int> lengths;
  for (int i = 0; i < 70; ++i) lengths.push_back(i * 5 % 9);
  for (const std::size_t i : {3U, 4U, 33U, 69U}) lengths[i] = 60;
  lengths[5] = 700;
  for (const auto& [count, width] : shapes) {
    for (const unsigned teams : {1U, 4U, 64U}) {
      for (const By by : {By::Strides, By::Quads, By::Chunks, By::Stage}) {
        for (const Way way : ways_for(width)) {
          const bool is_alike = teams == 64 && (by == By::Chunks || by == By::Stage);
          if (is_alike || !has_kernel<T>(by, way)) continue;
          expect_right_in_that_way(product_of<T>(lengths, 90, count, width), by, way, teams,
                                   kernel);
        }
      }
    }
  }
}

TEST(Warps, ColumnsOfFloats) {
  expect_all_right<float>(columns_of_float, {{1, 1},
                                             {2, 2},
                                             {3, 3},
                                             {3, 4},
                                             {4, 4},
                                             {6, 6},
                                             {7, 8},
                                             {16, 16},
                                             {17, 20},
                                             {132, 132},
                                             {257, 260},
                                             {260, 260}});
}
TEST(Warps, ColumnsOfDoubles) {
  expect_all_right<double>(columns_of_double,
                           {{2, 2}, {3, 4}, {4, 4}, {7, 7}, {9, 10}, {13, 14}, {14, 14}});
}

void expect_infinite_where_met(By by, Way way, long count) {
  ColumnProduct<float> a = product_of<float>({11, 0, 1, 5, 2}, 9, count, count);
  a.by = by;
  a.way = way;
  for (int& column : a.columns) column %= 8;
  for (long c = 0; c < count; ++c) {
    a.x[static_cast<std::size_t>(8 * count + c)] = std::numeric_limits<float>::infinity();
  }
  expect_right(a, columns_of_float, "infinite rows that are not met");
  for (const std::size_t k : {2U, 10U}) {
    a.columns[k] = 8;
    a.values[k] = 1;
  }
  const auto y = columns_of_float(a);
  for (std::size_t c = 0; c < static_cast<std::size_t>(count); ++c) {
    EXPECT_EQ(y[c], std::numeric_limits<float>::infinity());
  }
  EXPECT_TRUE(std::isfinite(y[static_cast<std::size_t>(count)]));
}

// An infinite row of X is asked for again where a row of an odd number of elements ends, and must
// not count twice; one that no element meets must not count at all.
TEST(Warps, ColumnsThatAreInfinite) {
  for (const By by : {By::Chunks, By::Stage}) {
    for (const long count : {2, 4, 7}) {
      for (const Way way : ways_for(count)) {
        if (has_kernel<float>(by, way)) expect_infinite_where_met(by, way, count);
      }
    }
  }
}

}  // namespace
}  // namespace switchyard::warps
