// The bitmap format: its layout, its size and its checks.
#include <gtest/gtest.h>

#include <limits>
#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/generate.hpp>
#include <switchyard/containers/matrix_market.hpp>

#include "code_of.hpp"

namespace switchyard {
namespace {

/// Row 0: columns 1 and 69; row 1: nothing; row 2: columns 0, 63 and 64.
Bitmap<double> small_bitmap() {
  Bitmap<double> bitmap{3, 70, 5, {}, {}, {}};
  bitmap.offsets = Array<std::int32_t>(std::vector<std::int32_t>{0, 2, 2, 5});
  bitmap.masks = Array<std::uint64_t>(
      std::vector<std::uint64_t>{2, 1U << 5, 0, 0, 1 | std::uint64_t{1} << 63, 1});
  bitmap.values = Array<double>(std::vector<double>{4, 5, 6, 7, 8});
  return bitmap;
}

using Elements = std::vector<std::pair<Column, double>>;

TEST(Bitmap, RowsAreReadFromBits) {
  const auto bitmap = small_bitmap();
  EXPECT_NO_THROW(bitmap.check());
  EXPECT_EQ(bitmap.words_of_row(), 2);
  Elements seen;
  const auto visit = [&seen](Column column, double value) { seen.emplace_back(column, value); };
  for (Index i = 0; i < 3; ++i) bitmap.row(i, visit);
  EXPECT_EQ(seen, (Elements{{1, 4}, {69, 5}, {0, 6}, {63, 7}, {64, 8}}));
  seen.clear();
  bitmap.row(2, visit, 2);
  bitmap.row(2, visit, 1, 2);
  bitmap.row(0, visit, 0, 1);
  EXPECT_EQ(seen, (Elements{{64, 8}, {63, 7}, {1, 4}}));
  std::vector<Index> lengths(3, -1);
  bitmap.row_lengths(0, lengths);
  EXPECT_EQ(lengths, (std::vector<Index>{2, 0, 3}));
  bitmap.row_lengths(2, {lengths.data(), 1});
  EXPECT_EQ(lengths[0], 3);
}

TEST(Bitmap, IsWrittenAsAnyOtherFormat) {
  EXPECT_EQ(format_matrix_market<double>(small_bitmap()),
            "%%MatrixMarket matrix coordinate real general\n3 70 5\n"
            "1 2 4\n1 70 5\n3 1 6\n3 64 7\n3 65 8\n");
}

TEST(Bitmap, ArraysThatDoNotFitAreRefused) {
  const auto refused = [](const auto& change) { return code_of_check(small_bitmap(), change); };
  const auto offsets = [](auto& bitmap) -> auto& {
    return std::get<Array<std::int32_t>>(bitmap.offsets);
  };
  const auto invalid = ErrorCode::InvalidArgument;
  EXPECT_EQ(refused([](auto& bitmap) { bitmap.rows = 2; }), invalid);
  EXPECT_EQ(refused([](auto& bitmap) { bitmap.rows = -1; }), invalid);
  EXPECT_EQ(refused([](auto& bitmap) { bitmap.cols = -1; }), invalid);
  EXPECT_EQ(refused([](auto& bitmap) { bitmap.cols = 64; }), invalid);
  EXPECT_EQ(refused([](auto& bitmap) { bitmap.cols = 69; }), invalid) << "a bit beyond the columns";
  EXPECT_EQ(refused([](auto& bitmap) { bitmap.nnz = 4; }), invalid);
  EXPECT_EQ(refused([&](auto& bitmap) { offsets(bitmap)[0] = 1; }), invalid);
  EXPECT_EQ(refused([&](auto& bitmap) { offsets(bitmap)[1] = 3; }), invalid);
  EXPECT_EQ(refused([&](auto& bitmap) { offsets(bitmap)[3] = 4; }), invalid);
  EXPECT_EQ(refused([](auto& bitmap) { bitmap.masks[2] = 1; }), invalid);
  EXPECT_EQ(refused([](auto& bitmap) { bitmap.masks[0] = 0; }), invalid);
}

TEST(Bitmap, SizesThatCannotBeAreRefused) {
  constexpr Index huge = std::numeric_limits<Index>::max();
  const auto sized = [](Index rows, Index cols, Index nnz) {
    return code_of([=] { (void)Bitmap<float>::sized(rows, cols, nnz, plain_host_memory()); });
  };
  EXPECT_EQ(sized(huge, 3, 1), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(-1, 3, 1), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(3, -1, 1), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(3, 3, -1), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(3, Index{1} << 31, 1), ErrorCode::OutOfRange);
}

TEST(Bitmap, ItsStructureAndSizeAreThoseOfTheSameMatrixInCsr) {
  const std::vector<Triplet<double>> triplets{
      {0, 1, 4.0}, {0, 69, 5.0}, {2, 0, 6.0}, {2, 63, 7.0}, {2, 64, 8.0}};
  const Structure csr = structure_of(csr_from_triplets<double>(3, 70, triplets));
  const Storage<double> matrix = small_bitmap();
  const Structure bitmap = structure_of(matrix);
  EXPECT_EQ(bitmap.nnz, csr.nnz);
  EXPECT_EQ(bitmap.longest_row, csr.longest_row);
  EXPECT_EQ(bitmap.empty_rows, csr.empty_rows);
  EXPECT_EQ(bitmap.lines_per_nonzero, csr.lines_per_nonzero);
  EXPECT_EQ(format_of(matrix), Format::Bitmap);
  for (const Structure& structure : {csr, bitmap}) {
    EXPECT_EQ(bytes_in(Format::Bitmap, structure, 8), static_cast<double>(bytes_of(matrix)));
  }
}

}  // namespace
}  // namespace switchyard
