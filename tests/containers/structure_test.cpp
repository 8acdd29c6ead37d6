// What is found out about a matrix, exactly and by sampling.
#include <gtest/gtest.h>

#include <cmath>
#include <switchyard/containers/csr.hpp>
#include <switchyard/containers/dense.hpp>
#include <switchyard/containers/generate.hpp>
#include <switchyard/containers/structure.hpp>

namespace switchyard {
namespace {

Dense<float> striped(Index rows, Index cols, double density) {
  auto dense = Dense<float>::sized(rows, cols);
  std::uint64_t state = 1;
  for (float& value : dense.values.span()) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<double>(state >> 11) * 0x1p-53 < density ? 1.0F : 0.0F;
  }
  return dense;
}

TEST(Structure, OfCsrIsExact) {
  const std::vector<Triplet<double>> triplets{{0, 0, 1}, {0, 1, 1}, {0, 100, 1}, {3, 2, 1}};
  const Structure structure = structure_of(csr_from_triplets<double>(4, 200, triplets));
  EXPECT_EQ(structure.nnz, 4);
  EXPECT_EQ(structure.longest_row, 3);
  EXPECT_EQ(structure.empty_rows, 2);
  EXPECT_TRUE(structure.exact);
  EXPECT_DOUBLE_EQ(structure.mean_row(), 1);
  // Lengths 3, 0, 0, 1 about a mean of 1.
  EXPECT_NEAR(structure.row_deviation, std::sqrt(6.0 / 4), 1e-12);
  EXPECT_EQ(structure.length_changes, 2);
  // Row 0 touches two lines of eight doubles, row 3 one.
  EXPECT_DOUBLE_EQ(structure.lines_per_nonzero, 3.0 / 4);
}

TEST(Structure, LinesThatTheRowBeforeTouchedAreNotNew) {
  // Rows 1 and 2 touch columns 1 and 100; row 2 touches 190 too.
  const std::vector<Triplet<double>> triplets{
      {1, 1, 1}, {1, 100, 1}, {2, 2, 1}, {2, 101, 1}, {2, 190, 1}};
  const Structure structure = structure_of(csr_from_triplets<double>(3, 200, triplets));
  EXPECT_DOUBLE_EQ(structure.lines_per_nonzero, 3.0 / 5);
}

TEST(Structure, OfDenseCountsAsCsrDoes) {
  const auto dense = striped(300, 400, 0.3);
  const Structure structure = structure_of(dense);
  Index nnz = 0;
  for (const float value : dense.values.span()) nnz += value != 0 ? 1 : 0;
  EXPECT_EQ(structure.nnz, nnz);
  EXPECT_TRUE(structure.exact);
}

TEST(Structure, SamplingFindsTheDensityWithinItsInterval) {
  for (const double density : {0.0, 0.01, 0.2, 0.5, 0.95, 1.0}) {
    const auto dense = striped(2000, 1500, density);
    const Structure sampled = sampled_structure_of(dense);
    const Structure exact = structure_of(dense);
    EXPECT_FALSE(sampled.exact);
    EXPECT_NEAR(static_cast<double>(sampled.nnz), static_cast<double>(exact.nnz),
                3 * sampled.nnz_error + 1)
        << density;
  }
}

TEST(Structure, ASampleWithoutNonzerosIsNotSureThatThereAreNone) {
  // One element in a hundred is looked at. By the rule of three, 3 in as many may be nonzeros.
  EXPECT_NEAR(sampled_structure_of(striped(2000, 1500, 0.0)).nnz_error, 300, 10);
}

TEST(Structure, NarrowMatricesAreSampledToo) {
  for (const auto& [rows, cols] : {std::pair{6000, 10}, {1, 50'000}, {50'000, 1}}) {
    const auto dense = striped(rows, cols, 0.3);
    const Structure sampled = sampled_structure_of(dense);
    const Structure exact = structure_of(dense);
    EXPECT_FALSE(sampled.exact);
    EXPECT_NEAR(static_cast<double>(sampled.nnz), static_cast<double>(exact.nnz),
                3 * sampled.nnz_error + 1)
        << rows << " x " << cols;
    EXPECT_LT(sampled.nnz_error, 0.2 * static_cast<double>(exact.nnz)) << rows << " x " << cols;
  }
}

TEST(Structure, AFewColumnsTellTheLinesOfAll) {
  // A row touches a line of 8 with probability p = 1 - 0.8^8, and the row before did not with 1 -
  // p.
  const auto matrix = generate<double>({.rows = 2048, .density = 0.2});
  const double touched = 1 - std::pow(0.8, 8);
  EXPECT_NEAR(structure_of(matrix).lines_per_nonzero, touched * (1 - touched) / (8 * 0.2), 0.01);
}

TEST(Structure, SmallMatricesAreCounted) {
  EXPECT_TRUE(sampled_structure_of(striped(20, 30, 0.5)).exact);
}

TEST(Structure, EmptyShapes) {
  EXPECT_EQ(structure_of(Dense<float>::sized(0, 5)).nnz, 0);
  EXPECT_EQ(structure_of(Dense<float>::sized(5, 0)).empty_rows, 5);
  EXPECT_EQ(structure_of(csr_from_triplets<float>(0, 0, {})).density(), 0);
  for (const Index rows : {0, 5}) {
    EXPECT_EQ(structure_of(csr_from_triplets<float>(rows, 5, {})).lines_per_nonzero, 1);
  }
}

// Rows are read in parts: what changes between two of them counts too.
TEST(Structure, ChangesOfLengthDoNotDependOnTheNumberOfThreads) {
  constexpr Index rows = 100'001;
  std::vector<Triplet<float>> triplets;
  for (Index i = 1; i < rows; i += 2) triplets.push_back({i, 0, 1});
  EXPECT_EQ(structure_of(csr_from_triplets<float>(rows, 1, triplets)).length_changes, rows - 1);
  const auto grid = generate<double>({.kind = MatrixKind::Poisson2d, .rows = 250'000});
  // Points at the left and right edge have fewer neighbours: two changes in each of 500 lines of
  // the grid, and one more after the first line and before the last.
  EXPECT_EQ(structure_of(grid).length_changes, 2 * 500 + 2);
}

TEST(Structure, ChangesOfLengthGrowWithTheVariance) {
  EXPECT_EQ(chance_of_length_change(0), 0);
  EXPECT_NEAR(chance_of_length_change(0.01), 0.02, 0.01);
  double before = 0;
  for (double variance = 1e-6; variance < 1e12; variance *= 2) {
    EXPECT_GT(chance_of_length_change(variance), before);
    before = chance_of_length_change(variance);
  }
  EXPECT_LE(before, 1);
}

TEST(Structure, EvenlySpreadIsWhatAUniformMatrixHas) {
  for (const double density : {0.002, 0.05, 0.7, 1.0}) {
    SCOPED_TRACE(density);
    const Structure expected = even_structure<float>(3000, 2000, density);
    const Structure found = structure_of(generate<float>(
        {.kind = MatrixKind::Uniform, .rows = 3000, .cols = 2000, .density = density}));
    const auto nnz = static_cast<double>(found.nnz);
    EXPECT_NEAR(static_cast<double>(expected.nnz), nnz, 0.05 * nnz);
    EXPECT_NEAR(expected.row_deviation, found.row_deviation, 0.1 * found.row_deviation + 1e-9);
    EXPECT_NEAR(static_cast<double>(expected.longest_row), static_cast<double>(found.longest_row),
                0.2 * static_cast<double>(found.longest_row));
    EXPECT_NEAR(expected.lines_per_nonzero, found.lines_per_nonzero, 0.1);
    EXPECT_NEAR(expected.length_changes, found.length_changes, 0.05 * 3000);
    EXPECT_NEAR(static_cast<double>(expected.empty_rows), static_cast<double>(found.empty_rows),
                20);
  }
  EXPECT_EQ(even_structure<double>(10, 10, 0).longest_row, 0);
  EXPECT_EQ(even_structure<double>(10, 10, 1).longest_row, 10);
}

}  // namespace
}  // namespace switchyard
