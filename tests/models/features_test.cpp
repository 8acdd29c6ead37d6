// What is counted for each operation.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <switchyard/models/features.hpp>

namespace switchyard {
namespace {

Structure example() {
  Structure structure;
  structure.rows = 100;
  structure.cols = 50;
  structure.nnz = 400;
  structure.longest_row = 9;
  structure.row_deviation = 1.5;
  structure.length_changes = 60;
  structure.lines_per_nonzero = 0.5;
  return structure;
}

TEST(Features, NamesAreDistinctAndInOrder) {
  EXPECT_EQ(name(Quantity::Bytes), "bytes");
  EXPECT_EQ(name(Quantity::Spread), "spread");
  for (std::size_t a = 0; a < quantity_count; ++a) {
    EXPECT_FALSE(name(static_cast<Quantity>(a)).empty());
    for (std::size_t b = 0; b < a; ++b) {
      EXPECT_NE(name(static_cast<Quantity>(a)), name(static_cast<Quantity>(b)));
    }
  }
}

TEST(Features, ProductCountsMatrixAndEachVectorOnce) {
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    const auto size = static_cast<double>(size_of(precision));
    for (const Format format : {Format::Dense, Format::Csr}) {
      const Features features = multiply_features(format, example(), precision);
      EXPECT_DOUBLE_EQ(features[Quantity::Bytes],
                       bytes_in(format, example(), size_of(precision)) + 150 * size);
    }
  }
}

TEST(Features, SparseProductCountsWhatItGathers) {
  const Features features = multiply_features(Format::Csr, example(), Precision::Float);
  EXPECT_EQ(features[Quantity::Rows], 100);
  EXPECT_EQ(features[Quantity::Cols], 50);
  EXPECT_EQ(features[Quantity::Elements], 5000);
  EXPECT_EQ(features[Quantity::Nonzeros], 400);
  EXPECT_DOUBLE_EQ(features[Quantity::Gathered], 400 * (0.5 + 1.0 / 6));
  EXPECT_EQ(features[Quantity::Longest], 9);
  EXPECT_DOUBLE_EQ(features[Quantity::Spread], 100 * std::sqrt(1.5 * 1.5 + 4.0 * 4.0 / 50));
}

// Where a matrix is nearly full, rows are equally long again; the cost must not fall with them.
TEST(Features, ChangesOfRowLengthsDoNotFallAsAMatrixFills) {
  EXPECT_EQ(multiply_features(Format::Csr, example(), Precision::Float)[Quantity::Changes], 60);
  Structure full = example();
  full.nnz = 5000;
  full.row_deviation = full.length_changes = 0;
  EXPECT_GT(multiply_features(Format::Csr, full, Precision::Float)[Quantity::Changes], 90);
}

TEST(Features, UnevenCountsWhatChanceDoesNotExplain) {
  Structure structure = example();  // a mean of 4, by chance at most 4 + 14 + 7
  const auto uneven = [&] {
    return multiply_features(Format::Csr, structure, Precision::Float)[Quantity::Uneven];
  };
  EXPECT_EQ(uneven(), 1);
  structure.longest_row = 25;
  EXPECT_EQ(uneven(), 1);
  structure.longest_row = 45;
  EXPECT_EQ(uneven(), 1 + 20.0 / 4);
}

template <Element T>
void expect_growing(Index rows, Index cols) {
  Features before;
  const double elements = static_cast<double>(rows) * static_cast<double>(cols);
  for (double density = 1e-4; density < 1.1; density *= 1.07) {
    // A whole number of nonzeros, so that rounding does not decide.
    const double nonzeros = std::round(std::min(density, 1.0) * elements);
    const Structure structure = even_structure<T>(rows, cols, nonzeros / elements);
    const Features features = multiply_features(Format::Csr, structure, precision_of<T>);
    for (std::size_t q = 0; q < quantity_count; ++q) {
      EXPECT_GE(features.values[q], before.values[q] * (1 - 1e-12))
          << name(static_cast<Quantity>(q)) << " at " << rows << " x " << cols << ", " << density;
    }
    before = features;
  }
}

TEST(Features, NoneFallsAsAnEvenlySpreadMatrixFills) {
  for (const Index rows : {1, 30, 4096, 1'000'000}) {
    for (const Index cols : {1, 30, 4096, 300'000}) {
      expect_growing<float>(rows, cols);
      expect_growing<double>(rows, cols);
    }
  }
}

TEST(Features, DenseProductDoesNotDependOnWhereTheZerosAre) {
  Structure other = example();
  other.nnz = 1;
  other.longest_row = 1;
  other.row_deviation = 0;
  other.lines_per_nonzero = 1;
  EXPECT_EQ(multiply_features(Format::Dense, example(), Precision::Float).values,
            multiply_features(Format::Dense, other, Precision::Float).values);
}

// A model's domain would else be left for what it does not depend on.
TEST(Features, WhatNoTermOfAFormatUsesIsZero) {
  for (const FormatFacts& facts : format_table) {
    const Features found = multiply_features(facts.format, example(), Precision::Float);
    for (const Quantity quantity : {Quantity::Gathered, Quantity::Spread, Quantity::Uneven}) {
      if (depends_on(facts.multiply_terms, quantity)) continue;
      EXPECT_EQ(found[quantity], 0) << name(facts.format) << " " << name(quantity);
    }
  }
  EXPECT_EQ(multiply_features(Format::Dense, example(), Precision::Float)[Quantity::Gathered], 0);
}

TEST(Features, ConversionCountsBothRepresentations) {
  const Features features =
      convert_features(Format::Dense, Format::Csr, example(), Precision::Double);
  EXPECT_DOUBLE_EQ(features[Quantity::Bytes],
                   bytes_in(Format::Dense, example(), 8) + bytes_in(Format::Csr, example(), 8));
  EXPECT_EQ(features[Quantity::Nonzeros], 400);
  EXPECT_EQ(features[Quantity::Gathered], 0);
}

TEST(Features, ConversionDoesNotCountWhatIsShared) {
  Structure structure = example();
  structure.distinct_values = 1;
  complete(structure);
  const auto bytes = [&](Format from, Format to) {
    return convert_features(from, to, structure, Precision::Double)[Quantity::Bytes];
  };
  // The values, and the one that stands for them.
  EXPECT_DOUBLE_EQ(bytes(Format::Csr, Format::CsrConst), 400 * 8 + 8);
  EXPECT_DOUBLE_EQ(bytes(Format::CsrConst, Format::Csr), 400 * 8 + 8);
  EXPECT_DOUBLE_EQ(bytes(Format::Csr, Format::CsrDict8), 400 * 8 + 400 + 256 * 8);
  // All but the offsets.
  const double offsets = 101 * 4;
  EXPECT_DOUBLE_EQ(
      bytes(Format::Csr, Format::Csr16),
      bytes_in(Format::Csr, structure, 8) + bytes_in(Format::Csr16, structure, 8) - 2 * offsets);
  EXPECT_DOUBLE_EQ(bytes(Format::Csr, Format::Coo),
                   bytes_in(Format::Csr, structure, 8) + bytes_in(Format::Coo, structure, 8));
}

TEST(Features, TransferCountsBytesOnly) {
  Features expected;
  expected[Quantity::Bytes] = 4096;
  EXPECT_EQ(transfer_features(4096).values, expected.values);
  EXPECT_EQ(build_features().values, Features{}.values);
}

TEST(Features, EmptyAndHugeShapesAreFinite) {
  const Features none = multiply_features(Format::Csr, Structure{}, Precision::Float);
  EXPECT_EQ(none[Quantity::Elements], 0);
  Structure huge;
  huge.rows = huge.cols = std::numeric_limits<Index>::max();
  const Features most = multiply_features(Format::Dense, huge, Precision::Double);
  EXPECT_TRUE(std::isfinite(most[Quantity::Elements]));
  EXPECT_TRUE(std::isfinite(most[Quantity::Bytes]));
}

}  // namespace
}  // namespace switchyard
