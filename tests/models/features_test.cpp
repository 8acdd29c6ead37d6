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
  EXPECT_EQ(features[Quantity::Gathered], 200);
  EXPECT_EQ(features[Quantity::Longest], 9);
  EXPECT_EQ(features[Quantity::Spread], 150);
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

TEST(Features, ConversionCountsBothRepresentations) {
  const Features features =
      convert_features(Format::Dense, Format::Csr, example(), Precision::Double);
  EXPECT_DOUBLE_EQ(features[Quantity::Bytes],
                   bytes_in(Format::Dense, example(), 8) + bytes_in(Format::Csr, example(), 8));
  EXPECT_EQ(features[Quantity::Nonzeros], 400);
  EXPECT_EQ(features[Quantity::Gathered], 0);
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
