// The coordinate format: its layout, its size and its checks.
#include <gtest/gtest.h>

#include <limits>
#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/matrix_market.hpp>

#include "code_of.hpp"

namespace switchyard {
namespace {

/// Row 1: columns 1 and 4; row 2: nothing; row 3: columns 0, 2 and 4.
Coo<double> small_coo() {
  Coo<double> coo{5, 5, 5, {}, {}, {}};
  coo.row_indices = Array<std::int32_t>(std::vector<std::int32_t>{1, 1, 3, 3, 3});
  coo.columns = Array<Column>(std::vector<Column>{1, 4, 0, 2, 4});
  coo.values = Array<double>(std::vector<double>{4, 5, 6, 7, 8});
  return coo;
}

using Elements = std::vector<std::pair<Column, double>>;

TEST(Coo, RowsAreFoundAndRead) {
  const auto coo = small_coo();
  EXPECT_NO_THROW(coo.check());
  Elements seen;
  const auto visit = [&seen](Column column, double value) { seen.emplace_back(column, value); };
  for (Index i = 0; i < 5; ++i) coo.row(i, visit);
  EXPECT_EQ(seen, (Elements{{1, 4}, {4, 5}, {0, 6}, {2, 7}, {4, 8}}));
  seen.clear();
  coo.row(3, visit, 2);
  coo.row(3, visit, 1, 2);
  coo.row(1, visit, 0, 1);
  coo.row(1, visit, 2, 9);
  EXPECT_EQ(seen, (Elements{{4, 8}, {2, 7}, {1, 4}}));
  std::vector<Index> lengths(5, -1);
  coo.row_lengths(0, lengths);
  EXPECT_EQ(lengths, (std::vector<Index>{0, 2, 0, 3, 0}));
  coo.row_lengths(3, {lengths.data(), 1});
  EXPECT_EQ(lengths[0], 3);
  EXPECT_EQ(first_in_row(coo.row_indices, 0), 0);
  EXPECT_EQ(first_in_row(coo.row_indices, 2), 2);
  EXPECT_EQ(first_in_row(coo.row_indices, 4), 5);
}

TEST(Coo, IsWrittenAsAnyOtherFormat) {
  EXPECT_EQ(format_matrix_market<double>(small_coo()),
            "%%MatrixMarket matrix coordinate real general\n5 5 5\n"
            "2 2 4\n2 5 5\n4 1 6\n4 3 7\n4 5 8\n");
}

TEST(Coo, ArraysThatDoNotFitAreRefused) {
  const auto refused = [](const auto& change) { return code_of_check(small_coo(), change); };
  const auto row_of = [](auto& coo) -> auto& {
    return std::get<Array<std::int32_t>>(coo.row_indices);
  };
  const auto invalid = ErrorCode::InvalidArgument;
  EXPECT_EQ(refused([](auto& coo) { coo.rows = 3; }), invalid) << "a row beyond the last";
  EXPECT_EQ(refused([](auto& coo) { coo.rows = -1; }), invalid);
  EXPECT_EQ(refused([](auto& coo) { coo.cols = -1; }), invalid);
  EXPECT_EQ(refused([](auto& coo) { coo.nnz = 4; }), invalid);
  EXPECT_EQ(refused([&](auto& coo) { row_of(coo)[0] = -1; }), invalid);
  EXPECT_EQ(refused([&](auto& coo) { row_of(coo)[2] = 0; }), invalid) << "not sorted";
  EXPECT_EQ(refused([](auto& coo) { coo.columns = {}; }), invalid);
  EXPECT_EQ(refused([](auto& coo) { coo.values = {}; }), invalid);
}

TEST(Coo, SizesThatCannotBeAreRefused) {
  const auto sized = [](Index rows, Index cols, Index nnz) {
    return code_of([=] { (void)Coo<float>::sized(rows, cols, nnz); });
  };
  EXPECT_EQ(sized(-1, 3, 1), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(3, -1, 1), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(3, 3, -1), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(3, Index{1} << 31, 1), ErrorCode::OutOfRange);
}

TEST(Coo, ItsStructureAndSizeAreThoseOfTheSameMatrixInCsr) {
  const std::vector<Triplet<double>> triplets{
      {1, 1, 4.0}, {1, 4, 5.0}, {3, 0, 6.0}, {3, 2, 7.0}, {3, 4, 8.0}};
  const Structure csr = structure_of(csr_from_triplets<double>(5, 5, triplets));
  const Storage<double> matrix = small_coo();
  const Structure coo = structure_of(matrix);
  EXPECT_EQ(coo.nnz, csr.nnz);
  EXPECT_EQ(coo.longest_row, csr.longest_row);
  EXPECT_EQ(coo.empty_rows, csr.empty_rows);
  EXPECT_EQ(coo.lines_per_nonzero, csr.lines_per_nonzero);
  EXPECT_EQ(format_of(matrix), Format::Coo);
  for (const Structure& structure : {csr, coo}) {
    EXPECT_EQ(bytes_in(Format::Coo, structure, 8), static_cast<double>(bytes_of(matrix)));
  }
}

// Row indices take 64 bits only where there are so many rows.
TEST(Coo, RowIndicesAreAsWideAsTheRowsNeed) {
  constexpr Index many = Index{1} << 31;
  EXPECT_EQ(bytes_of(Storage<float>(Coo<float>::sized(many - 1, 3, 2))), 24U);
  const auto wide = Coo<float>::sized(many, 3, 2);
  EXPECT_TRUE(std::holds_alternative<Array<std::int64_t>>(wide.row_indices));
  Structure structure{.rows = many, .cols = 3, .nnz = 2};
  EXPECT_EQ(bytes_in(Format::Coo, structure, 4), 32);
}

}  // namespace
}  // namespace switchyard
