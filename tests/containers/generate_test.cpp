// Generated matrices: structure, reproducibility, and options that make no sense.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <switchyard/containers/generate.hpp>

#include "containers/well_formed.hpp"

namespace switchyard {
namespace {

using testing::expect_well_formed;

constexpr std::array kinds{MatrixKind::Uniform,   MatrixKind::Banded,   MatrixKind::Poisson2d,
                           MatrixKind::Poisson3d, MatrixKind::PowerLaw, MatrixKind::Pruned};

template <Element T, Element U>
bool same(const Csr<T>& a, const Csr<U>& b) {
  return a.rows == b.rows && a.cols == b.cols && a.nnz == b.nnz &&
         std::ranges::equal(std::get<0>(a.offsets).span(), std::get<0>(b.offsets).span()) &&
         std::ranges::equal(a.columns.span(), b.columns.span()) &&
         std::ranges::equal(a.values.span(), b.values.span());
}

Csr<double> make(MatrixKind kind, Index rows, std::optional<double> density = {}, Index cols = 0,
                 std::uint64_t seed = 1) {
  return generate<double>(
      {.kind = kind, .rows = rows, .cols = cols, .density = density, .seed = seed});
}

TEST(MatrixKindNames, ReadBack) {
  for (const MatrixKind kind : kinds) EXPECT_EQ(parse_matrix_kind(name(kind)), kind);
  EXPECT_EQ(name(MatrixKind::PowerLaw), "powerlaw");
  EXPECT_FALSE(parse_matrix_kind("Uniform"));
  EXPECT_FALSE(parse_matrix_kind(""));
}

TEST(Generate, GivesWellFormedMatricesOfEveryKindAndSize) {
  for (const MatrixKind kind : kinds) {
    for (const Index rows : {1, 2, 3, 7, 8, 9, 64, 1000, 5000}) {
      const auto matrix = make(kind, rows);
      expect_well_formed(matrix);
      EXPECT_LE(matrix.rows, rows);
      EXPECT_GT(matrix.rows, 0);
      EXPECT_EQ(matrix.rows, matrix.cols);
    }
  }
}

TEST(Generate, TakesRectangularShapes) {
  for (const MatrixKind kind :
       {MatrixKind::Uniform, MatrixKind::Banded, MatrixKind::PowerLaw, MatrixKind::Pruned}) {
    for (const auto& [rows, cols] :
         std::vector<std::pair<Index, Index>>{{1, 1000}, {1000, 1}, {30, 3000}, {3000, 30}}) {
      const auto matrix = make(kind, rows, {}, cols);
      expect_well_formed(matrix);
      EXPECT_EQ(matrix.rows, rows);
      EXPECT_EQ(matrix.cols, cols);
    }
  }
}

TEST(Generate, DoesNotDependOnThreadsOrPrecision) {
  const int threads = omp_get_max_threads();
  for (const MatrixKind kind : kinds) {
    const Index rows = kind == MatrixKind::Pruned ? 2000 : 20000;
    omp_set_num_threads(1);
    const auto expected = make(kind, rows, {}, 0, 5);
    omp_set_num_threads(5);
    EXPECT_TRUE(same(make(kind, rows, {}, 0, 5), expected)) << name(kind);
    EXPECT_TRUE(same(generate<float>({.kind = kind, .rows = rows, .seed = 5}), expected))
        << name(kind);
  }
  omp_set_num_threads(threads);
}

TEST(Generate, GivesWhatItGaveBefore) {
  // Pinned, so that a matrix named in a report can be had again years later: the nonzeros, and the
  // column and the value of the middle one, which is a multiple of 2^-23.
  std::map<std::string_view, std::array<Index, 3>> found;
  for (const MatrixKind kind : kinds) {
    const auto matrix = make(kind, 3000, {}, 0, 42);
    const Index middle = matrix.nnz / 2;
    found[name(kind)] = {matrix.nnz, matrix.columns[middle],
                         static_cast<Index>(std::ldexp(matrix.values[middle], 23))};
  }
  const decltype(found) expected{
      {"uniform", {90306, 2394, -7864523}},   {"banded", {182070, 1470, -9727353}},
      {"poisson2d", {14364, 1404, -8388608}}, {"poisson3d", {18032, 1176, -8388608}},
      {"powerlaw", {48024, 1719, 10531966}},  {"pruned", {2723942, 1733, 5633774}},
  };
  EXPECT_EQ(found, expected);
}

TEST(Generate, DependsOnTheSeed) {
  for (const MatrixKind kind : {MatrixKind::Uniform, MatrixKind::PowerLaw, MatrixKind::Pruned}) {
    EXPECT_FALSE(same(make(kind, 1000, {}, 0, 1), make(kind, 1000, {}, 0, 2))) << name(kind);
  }
}

TEST(Generate, MeetsTheDensity) {
  for (const MatrixKind kind : {MatrixKind::Uniform, MatrixKind::Pruned}) {
    for (const double density : {0.0005, 0.003, 0.02, 0.0624, 0.0626, 0.3, 0.9}) {
      const Index rows = 2000;
      const double expected = density * 4e6;
      // A pruned matrix varies with its rows too, by at most a half of the density each.
      const double deviation =
          std::sqrt(expected) +
          (kind == MatrixKind::Pruned ? 0.5 * expected / std::sqrt(2000.0) : 0.0);
      EXPECT_NEAR(static_cast<double>(make(kind, rows, density).nnz), expected, 5 * deviation)
          << name(kind) << " " << density;
    }
  }
}

TEST(Generate, MeetsVeryLowDensities) {
  EXPECT_NEAR(static_cast<double>(make(MatrixKind::Uniform, 300000, 1e-5).nnz), 9e5, 5 * 949);
  EXPECT_NEAR(static_cast<double>(make(MatrixKind::Uniform, 300000, 1e-9).nnz), 90, 5 * 9.5);
  EXPECT_EQ(make(MatrixKind::Uniform, 1000, 1e-300).nnz, 0);
}

TEST(Generate, IsDenseAtDensityOne) {
  for (const MatrixKind kind : {MatrixKind::Uniform, MatrixKind::PowerLaw, MatrixKind::Pruned}) {
    EXPECT_EQ(make(kind, 300, 1.0, 200).nnz, 300 * 200) << name(kind);
  }
}

TEST(Generate, SpreadsUniformNonzerosEvenly) {
  const auto matrix = make(MatrixKind::Uniform, 20000, 0.002, 1000);
  std::array<double, 10> tenths{};
  for (const Column column : matrix.columns.span())
    ++tenths[static_cast<std::size_t>(column / 100)];
  for (const double count : tenths) EXPECT_NEAR(count, 4000, 5 * 64);
}

TEST(Generate, PutsValuesAwayFromZeroWithBothSigns) {
  const auto matrix = make(MatrixKind::Pruned, 500);
  Index negative = 0;
  for (const double value : matrix.values.span()) {
    ASSERT_GE(std::abs(value), 0.5);
    ASSERT_LT(std::abs(value), 1.5);
    negative += value < 0 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(negative) / static_cast<double>(matrix.nnz), 0.5, 0.02);
}

TEST(Generate, KeepsToTheBand) {
  const auto matrix =
      generate<float>({.kind = MatrixKind::Banded, .rows = 300, .cols = 200, .bandwidth = 7});
  for (Index i = 0; i < matrix.rows; ++i) {
    const Index begin = std::min<Index>(200, std::max<Index>(0, i - 7));
    const Index end = std::min<Index>(200, i + 8);
    ASSERT_EQ(matrix.offset(i + 1) - matrix.offset(i), std::max<Index>(0, end - begin));
    if (begin < end) {
      EXPECT_EQ(matrix.columns[matrix.offset(i)], begin);
    }
  }
}

TEST(Generate, HasADefaultBandOfOneInAHundredColumns) {
  EXPECT_EQ(make(MatrixKind::Banded, 10).offset(6) - make(MatrixKind::Banded, 10).offset(5), 5);
  const auto wide = make(MatrixKind::Banded, 1000);
  EXPECT_EQ(wide.offset(501) - wide.offset(500), 21);
}

/// The element (i, j), 0 where none is stored.
double element(const Csr<double>& matrix, Index i, Index j) {
  for (Index k = matrix.offset(i); k < matrix.offset(i + 1); ++k) {
    if (matrix.columns[k] == j) return matrix.values[k];
  }
  return 0;
}

TEST(Generate, MakesThePoissonStencils) {
  const auto plane = make(MatrixKind::Poisson2d, 30);  // 5 x 5
  EXPECT_EQ(plane.rows, 25);
  EXPECT_EQ(plane.nnz, 5 * 25 - 4 * 5);
  const auto cube = make(MatrixKind::Poisson3d, 64);
  EXPECT_EQ(cube.rows, 64);
  EXPECT_EQ(cube.nnz, 7 * 64 - 6 * 16);
  for (Index i = 0; i < 25; ++i) {
    for (Index j = 0; j < 25; ++j) {
      const Index distance = std::abs(i / 5 - j / 5) + std::abs(i % 5 - j % 5);
      EXPECT_EQ(element(plane, i, j), distance == 0 ? 4 : distance == 1 ? -1 : 0);
    }
  }
  for (Index i = 0; i < 64; ++i) {
    for (Index j = 0; j < 64; ++j) {
      const Index distance =
          std::abs(i / 16 - j / 16) + std::abs(i / 4 % 4 - j / 4 % 4) + std::abs(i % 4 - j % 4);
      EXPECT_EQ(element(cube, i, j), distance == 0 ? 6 : distance == 1 ? -1 : 0);
    }
  }
}

TEST(Generate, RoundsStencilsDownToAGrid) {
  EXPECT_EQ(make(MatrixKind::Poisson2d, 99).rows, 81);
  EXPECT_EQ(make(MatrixKind::Poisson2d, 100).rows, 100);
  EXPECT_EQ(make(MatrixKind::Poisson3d, 999).rows, 729);
  EXPECT_EQ(make(MatrixKind::Poisson3d, 1000).rows, 1000);
}

TEST(Generate, SkewsPowerLawRowsAndColumns) {
  const auto matrix = make(MatrixKind::PowerLaw, 20000);
  const Structure structure = structure_of(matrix);
  EXPECT_NEAR(structure.mean_row(), 16, 0.5);
  EXPECT_GT(structure.longest_row, 50 * 16);
  EXPECT_LE(structure.longest_row, 20000);
  std::vector<Index> popularity(20000);
  for (const Column column : matrix.columns.span()) ++popularity[static_cast<std::size_t>(column)];
  EXPECT_GT(std::ranges::max(popularity), 20 * 16);
  // Popular columns are not neighbours.
  const auto most = std::ranges::max_element(popularity) - popularity.begin();
  EXPECT_GT(most, 10);
}

TEST(Generate, MeetsTheDensityOfPowerLawsWithFullRows) {
  for (const double density : {0.05, 0.2, 0.7}) {
    const auto matrix = make(MatrixKind::PowerLaw, 2000, density);
    EXPECT_NEAR(static_cast<double>(matrix.nnz) / 4e6, density, 0.04 * density);
  }
}

TEST(Generate, VariesTheDensityOfPrunedRows) {
  const auto pruned = structure_of(make(MatrixKind::Pruned, 2000));
  const auto uniform = structure_of(make(MatrixKind::Uniform, 2000, 0.3));
  EXPECT_GT(pruned.row_deviation, 3 * uniform.row_deviation);
}

ErrorCode code_of(const GenerateOptions& options) {
  try {
    (void)generate<double>(options);
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::Internal;
}

TEST(Generate, RefusesOptionsThatMakeNoSense) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<GenerateOptions> table{
      {.rows = 0},
      {.rows = -5},
      {.rows = 5, .cols = -1},
      {.rows = 5, .density = 0.0},
      {.rows = 5, .density = -0.1},
      {.rows = 5, .density = 1.0000001},
      {.rows = 5, .density = nan},
      {.rows = 5, .density = std::numeric_limits<double>::infinity()},
      {.rows = 5, .bandwidth = 3},
      {.kind = MatrixKind::Banded, .rows = 5, .bandwidth = -1},
      {.kind = MatrixKind::Poisson2d, .rows = 9, .density = 0.5},
      {.kind = MatrixKind::Poisson3d, .rows = 8, .cols = 9},
      {.kind = static_cast<MatrixKind>(6), .rows = 5},
      {.kind = static_cast<MatrixKind>(-1), .rows = 5},
  };
  for (const auto& options : table) {
    EXPECT_EQ(code_of(options), ErrorCode::InvalidArgument) << &options - table.data();
  }
}

TEST(Generate, RefusesSizesOutOfRange) {
  constexpr Index most = std::numeric_limits<Index>::max();
  const std::vector<GenerateOptions> table{
      {.rows = 5, .cols = Index{1} << 31},
      {.rows = Index{1} << 31},
      {.rows = most, .cols = 5},
      {.rows = most, .cols = 5, .density = 1.0},
      {.kind = MatrixKind::Banded, .rows = most, .cols = 5, .bandwidth = most},
      {.kind = MatrixKind::Poisson2d, .rows = most},
      {.kind = MatrixKind::Poisson3d, .rows = most},
      {.kind = MatrixKind::PowerLaw, .rows = most},
  };
  for (const auto& options : table) {
    EXPECT_EQ(code_of(options), ErrorCode::OutOfRange) << &options - table.data();
  }
}

}  // namespace
}  // namespace switchyard
