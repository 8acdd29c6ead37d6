// The hybrid format: its layout, its size, its checks and how a matrix is split.
#include <gtest/gtest.h>

#include <limits>
#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/generate.hpp>
#include <switchyard/containers/matrix_market.hpp>

#include "code_of.hpp"

namespace switchyard {
namespace {

/// Row 0: columns 1 and 4; row 1: nothing; row 2: columns 0, 1, 2 and 4. Two slots a row.
Hyb<double> small_hyb() {
  Hyb<double> hyb{3, 5, 6, 2, {}, {}, {}, {}};
  hyb.lengths = Array<Column>(std::vector<Column>{2, 0, 2});
  hyb.rest_rows = Array<std::int32_t>(std::vector<std::int32_t>{2, 2});
  hyb.columns = Array<Column>(std::vector<Column>{1, 0, 0, 4, 0, 1, 2, 4});
  hyb.values = Array<double>(std::vector<double>{4, 0, 6, 5, 0, 7, 8, 9});
  return hyb;
}

using Elements = std::vector<std::pair<Column, double>>;

TEST(Hyb, RowsAreReadFromBothParts) {
  const auto hyb = small_hyb();
  EXPECT_NO_THROW(hyb.check());
  EXPECT_EQ(hyb.slots_of_rows(), 6);
  EXPECT_EQ(hyb.rest(), 2);
  EXPECT_EQ(hyb.slots(), 8);
  Elements seen;
  const auto visit = [&seen](Column column, double value) { seen.emplace_back(column, value); };
  for (Index i = 0; i < 3; ++i) hyb.row(i, visit);
  EXPECT_EQ(seen, (Elements{{1, 4}, {4, 5}, {0, 6}, {1, 7}, {2, 8}, {4, 9}}));
  seen.clear();
  hyb.row(2, visit, 3);
  hyb.row(2, visit, 1, 3);
  hyb.row(2, visit, 0, 2);
  hyb.row(0, visit, 1, 9);
  EXPECT_EQ(seen, (Elements{{4, 9}, {1, 7}, {2, 8}, {0, 6}, {1, 7}, {4, 5}}));
  std::vector<Index> lengths(3, -1);
  hyb.row_lengths(0, lengths);
  EXPECT_EQ(lengths, (std::vector<Index>{2, 0, 4}));
  hyb.row_lengths(2, {lengths.data(), 1});
  EXPECT_EQ(lengths[0], 4);
}

TEST(Hyb, IsWrittenAsAnyOtherFormat) {
  EXPECT_EQ(format_matrix_market<double>(small_hyb()),
            "%%MatrixMarket matrix coordinate real general\n3 5 6\n"
            "1 2 4\n1 5 5\n3 1 6\n3 2 7\n3 3 8\n3 5 9\n");
}

TEST(Hyb, ArraysThatDoNotFitAreRefused) {
  const auto refused = [](const auto& change) { return code_of_check(small_hyb(), change); };
  const auto rest_rows = [](auto& hyb) -> auto& {
    return std::get<Array<std::int32_t>>(hyb.rest_rows);
  };
  const auto invalid = ErrorCode::InvalidArgument;
  EXPECT_EQ(refused([](auto& hyb) { hyb.rows = 2; }), invalid);
  EXPECT_EQ(refused([](auto& hyb) { hyb.cols = -1; }), invalid);
  EXPECT_EQ(refused([](auto& hyb) { hyb.width = 3; }), invalid);
  EXPECT_EQ(refused([](auto& hyb) { hyb.nnz = 5; }), invalid);
  EXPECT_EQ(refused([](auto& hyb) { hyb.lengths = {}; }), invalid);
  EXPECT_EQ(refused([](auto& hyb) { hyb.lengths[0] = 3; }), invalid);
  EXPECT_EQ(refused([](auto& hyb) { hyb.lengths[0] = -1; }), invalid);
  EXPECT_EQ(refused([&](auto& hyb) { rest_rows(hyb)[1] = 1; }), invalid) << "not sorted";
  EXPECT_EQ(refused([&](auto& hyb) { rest_rows(hyb)[1] = 3; }), invalid);
  EXPECT_EQ(refused([&](auto& hyb) { rest_rows(hyb)[0] = -1; }), invalid);
  EXPECT_EQ(refused([&](auto& hyb) { rest_rows(hyb)[0] = 1; }), invalid) << "a slot was free";
  EXPECT_EQ(refused([](auto& hyb) { hyb.values = {}; }), invalid);
}

TEST(Hyb, SizesThatCannotBeAreRefused) {
  constexpr Index huge = std::numeric_limits<Index>::max();
  const auto sized = [](Index rows, Index cols, Index width, Index rest) {
    const Hyb<float> header{rows, cols, 1, width, {}, {}, {}, {}};
    return code_of([&] { (void)Hyb<float>::sized(header, rest); });
  };
  EXPECT_EQ(sized(huge, 3, 2, 0), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(-1, 3, 1, 0), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(3, Index{1} << 31, 1, 0), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(3, 3, 1, -1), ErrorCode::OutOfRange);
}

/// The bytes of a matrix with so many slots a row.
double bytes_with(const Csr<double>& csr, Index width, Index element_bytes) {
  Index rest = 0;
  for (Index i = 0; i < csr.rows; ++i) {
    rest += std::max<Index>(csr.offset(i + 1) - csr.offset(i) - width, 0);
  }
  const Index slots = csr.rows * width + rest;
  return static_cast<double>(slots * (element_bytes + 4) + 4 * csr.rows + 4 * rest);
}

TEST(Hyb, TheSplitTakesTheFewestBytes) {
  for (const auto kind : {MatrixKind::Uniform, MatrixKind::PowerLaw, MatrixKind::Banded,
                          MatrixKind::Poisson2d, MatrixKind::Poisson3d}) {
    const auto csr = generate<double>({.kind = kind, .rows = 1000, .seed = 3});
    const Index width = hyb_split(rows_of_matrix(csr)).width;
    const Structure structure = structure_of(csr);
    EXPECT_EQ(bytes_in(Format::Hyb, structure, 8), bytes_with(csr, width, 8)) << name(kind);
    for (Index other = 0; other < 60; ++other) {
      EXPECT_LE(bytes_with(csr, width, 4), bytes_with(csr, other, 4)) << name(kind) << other;
      EXPECT_LE(bytes_with(csr, width, 8), 1.125 * bytes_with(csr, other, 8)) << name(kind);
    }
    Structure unseen = structure;
    unseen.slots = unknown_slots;
    EXPECT_GE(hyb_slots(unseen, nullptr), structure.slots[static_cast<std::size_t>(Format::Hyb)]);
  }
}

TEST(Hyb, TheSplitOfManyRowsIsSampled) {
  for (const auto kind : {MatrixKind::Uniform, MatrixKind::PowerLaw, MatrixKind::Poisson2d}) {
    const auto csr = generate<double>(
        {.kind = kind,
         .rows = 60'000,
         .density = kind == MatrixKind::Poisson2d ? std::nullopt : std::optional<double>(2e-4)});
    const Index width = hyb_split(rows_of_matrix(csr)).width;
    const double exact = bytes_with(csr, width, 8);
    EXPECT_NEAR(bytes_in(Format::Hyb, structure_of(csr), 8), exact, 0.03 * exact) << name(kind);
  }
}

TEST(Hyb, ItsStructureIsThatOfTheSameMatrixInCsr) {
  const std::vector<Triplet<double>> triplets{{0, 1, 4.0}, {0, 4, 5.0}, {2, 0, 6.0},
                                              {2, 1, 7.0}, {2, 2, 8.0}, {2, 4, 9.0}};
  const Structure csr = structure_of(csr_from_triplets<double>(3, 5, triplets));
  const Storage<double> matrix = small_hyb();
  const Structure hyb = structure_of(matrix);
  EXPECT_EQ(hyb.nnz, csr.nnz);
  EXPECT_EQ(hyb.longest_row, csr.longest_row);
  EXPECT_EQ(hyb.empty_rows, csr.empty_rows);
  EXPECT_EQ(hyb.lines_per_nonzero, csr.lines_per_nonzero);
  EXPECT_EQ(format_of(matrix), Format::Hyb);
  // Two thirds of the rows have two elements or more: the split is the one above.
  for (const Structure& structure : {csr, hyb}) {
    EXPECT_EQ(bytes_in(Format::Hyb, structure, 8), static_cast<double>(bytes_of(matrix)));
  }
}

}  // namespace
}  // namespace switchyard
