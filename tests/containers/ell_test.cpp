// ELLPACK: its sizes, its checks, and what is known of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/generate.hpp>
#include <switchyard/containers/matrix_market.hpp>

#include "code_of.hpp"

namespace switchyard {
namespace {

/// Row 0: columns 1 and 4; row 1: nothing; row 2: column 0.
Ell<double> small_ell() {
  Ell<double> ell{3, 5, 3, 2, {}, {}, {}};
  ell.lengths = Array<Column>(std::vector<Column>{2, 0, 1});
  ell.columns = Array<Column>(std::vector<Column>{1, 0, 0, 4, 0, 0});
  ell.values = Array<double>(std::vector<double>{2, 0, 7, 3, 0, 0});
  return ell;
}

TEST(Ell, RowsAreReadInOrder) {
  const auto ell = small_ell();
  EXPECT_NO_THROW(ell.check());
  std::vector<std::pair<Column, double>> seen;
  const auto visit = [&seen](Column column, double value) { seen.emplace_back(column, value); };
  for (Index i = 0; i < 3; ++i) ell.row(i, visit);
  EXPECT_EQ(seen, (std::vector<std::pair<Column, double>>{{1, 2}, {4, 3}, {0, 7}}));
  seen.clear();
  ell.row(0, visit, 1);
  EXPECT_EQ(seen, (std::vector<std::pair<Column, double>>{{4, 3}}));
  seen.clear();
  ell.row(0, visit, 0, 1);
  EXPECT_EQ(seen, (std::vector<std::pair<Column, double>>{{1, 2}}));
}

TEST(Ell, IsWrittenAsAnyOtherFormat) {
  EXPECT_EQ(format_matrix_market<double>(small_ell()),
            "%%MatrixMarket matrix coordinate real general\n3 5 3\n1 2 2\n1 5 3\n3 1 7\n");
}

TEST(Ell, ArraysThatDoNotFitAreRefused) {
  const auto refused = [](const auto& change) { return code_of_check(small_ell(), change); };
  const auto invalid = ErrorCode::InvalidArgument;
  EXPECT_EQ(refused([](auto& ell) { ell.rows = 2; }), invalid);
  EXPECT_EQ(refused([](auto& ell) { ell.width = 3; }), invalid);
  EXPECT_EQ(refused([](auto& ell) { ell.nnz = 2; }), invalid);
  EXPECT_EQ(refused([](auto& ell) { ell.cols = -1; }), invalid);
  EXPECT_EQ(refused([](auto& ell) { ell.lengths[0] = 3; }), invalid);
  EXPECT_EQ(refused([](auto& ell) { ell.lengths[0] = -1; }), invalid);
  EXPECT_EQ(refused([](auto& ell) { ell.lengths = Array<Column>(2); }), invalid);
}

TEST(Ell, SizesThatCannotBeAreRefused) {
  constexpr Index huge = std::numeric_limits<Index>::max();
  EXPECT_EQ(code_of([] {
              (void)Ell<float>::sized({huge, 3, 0, 3, {}, {}, {}});
            }),
            ErrorCode::OutOfRange);
  EXPECT_EQ(code_of([] {
              (void)Ell<float>::sized({-1, 3, 0, 3, {}, {}, {}});
            }),
            ErrorCode::OutOfRange);
  EXPECT_EQ(code_of([] {
              (void)Ell<float>::sized({3, Index{1} << 31, 0, 0, {}, {}, {}});
            }),
            ErrorCode::OutOfRange);
}

TEST(Ell, ItsStructureIsThatOfTheSameMatrixInCsr) {
  const std::vector<Triplet<double>> triplets{{0, 1, 2.0}, {0, 4, 3.0}, {2, 0, 7.0}};
  const Structure csr = structure_of(csr_from_triplets<double>(3, 5, triplets));
  const Storage<double> matrix = small_ell();
  const Structure ell = structure_of(matrix);
  EXPECT_EQ(ell.nnz, csr.nnz);
  EXPECT_EQ(ell.longest_row, csr.longest_row);
  EXPECT_EQ(ell.empty_rows, csr.empty_rows);
  EXPECT_EQ(ell.row_deviation, csr.row_deviation);
  EXPECT_EQ(ell.lines_per_nonzero, csr.lines_per_nonzero);
  EXPECT_TRUE(ell.exact);
  EXPECT_EQ(first_look(matrix).nnz, csr.nnz);
  for (const Structure& structure : {csr, ell}) {
    EXPECT_EQ(bytes_in(Format::Ell, structure, 8), static_cast<double>(bytes_of(matrix)));
  }
}

// An estimate that is too low plans copies that do not fit.
TEST(Ell, TheSlotsOfASampledMatrixAreEstimatedOnTheHighSide) {
  for (const double density : {0.01, 0.1, 0.5}) {
    const auto csr = generate<float>(
        {.kind = MatrixKind::Uniform, .rows = 2000, .cols = 1500, .density = density});
    auto dense = Dense<float>::sized(2000, 1500);
    std::ranges::fill(dense.values.span(), 0.0F);
    for (Index i = 0; i < csr.rows; ++i) {
      csr.row(i, [&](Column j, float value) { dense.values[i * 1500 + j] = value; });
    }
    const auto slots = static_cast<std::size_t>(Format::Ell);
    const double exact = structure_of(csr).slots[slots];
    const double estimated = sampled_structure_of(dense).slots[slots];
    EXPECT_GE(estimated, exact) << density;
    EXPECT_LE(estimated, 2000.0 * 1500) << density;
  }
}

}  // namespace
}  // namespace switchyard
