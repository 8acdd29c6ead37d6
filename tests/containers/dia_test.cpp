// The diagonal format: its layout, its size, its checks and the count of diagonals.
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/generate.hpp>
#include <switchyard/containers/matrix_market.hpp>

#include "code_of.hpp"

namespace switchyard {
namespace {

/// 3 x 4 with (0, 0), (0, 2), (1, 1), (2, 0), (2, 2), of which (1, 1) is a stored zero.
Dia<double> small_dia() {
  Dia<double> dia{3, 4, 5, {}, {}, {}};
  dia.diagonals = Array<Index>(std::vector<Index>{-2, 0, 2});
  dia.masks = Array<std::uint64_t>(std::vector<std::uint64_t>{4, 7, 1});
  dia.values = Array<double>(std::vector<double>{0, 0, 6, 4, 0, 7, 5, 0, 0});
  return dia;
}

using Elements = std::vector<std::pair<Column, double>>;

TEST(Dia, RowsAreReadByTheirBits) {
  const auto dia = small_dia();
  EXPECT_NO_THROW(dia.check());
  Elements seen;
  const auto visit = [&seen](Column column, double value) { seen.emplace_back(column, value); };
  for (Index i = 0; i < 3; ++i) dia.row(i, visit);
  EXPECT_EQ(seen, (Elements{{0, 4}, {2, 5}, {1, 0}, {0, 6}, {2, 7}}));
  seen.clear();
  dia.row(0, visit, 1);
  dia.row(2, visit, 0, 1);
  dia.row(2, visit, 1, 2);
  EXPECT_EQ(seen, (Elements{{2, 5}, {0, 6}, {2, 7}}));
  std::vector<Index> lengths(3, -1);
  dia.row_lengths(0, lengths);
  EXPECT_EQ(lengths, (std::vector<Index>{2, 1, 2}));
  dia.row_lengths(1, {lengths.data(), 1});
  EXPECT_EQ(lengths[0], 1);
}

TEST(Dia, IsWrittenAsAnyOtherFormat) {
  EXPECT_EQ(format_matrix_market<double>(small_dia()),
            "%%MatrixMarket matrix coordinate real general\n3 4 5\n"
            "1 1 4\n1 3 5\n2 2 0\n3 1 6\n3 3 7\n");
}

TEST(Dia, ArraysThatDoNotFitAreRefused) {
  const auto refused = [](const auto& change) { return code_of_check(small_dia(), change); };
  const auto invalid = ErrorCode::InvalidArgument;
  EXPECT_EQ(refused([](auto& dia) { dia.rows = 2; }), invalid);
  EXPECT_EQ(refused([](auto& dia) { dia.rows = -1; }), invalid);
  EXPECT_EQ(refused([](auto& dia) { dia.cols = 2; }), invalid) << "an element beyond the columns";
  EXPECT_EQ(refused([](auto& dia) { dia.nnz = 4; }), invalid);
  EXPECT_EQ(refused([](auto& dia) { dia.masks[0] = 1; }), invalid) << "before column 0";
  EXPECT_EQ(refused([](auto& dia) { dia.masks[0] = 8; }), invalid) << "beyond the rows";
  EXPECT_EQ(refused([](auto& dia) { dia.masks[2] = 3; }), invalid);
  EXPECT_EQ(refused([](auto& dia) { dia.diagonals[1] = -2; }), invalid) << "not ascending";
  EXPECT_EQ(refused([](auto& dia) { dia.masks = {}; }), invalid);
  EXPECT_EQ(refused([](auto& dia) { dia.values = {}; }), invalid);
}

TEST(Dia, SizesThatCannotBeAreRefused) {
  constexpr Index huge = std::numeric_limits<Index>::max();
  const auto sized = [](Index rows, Index cols, Index count) {
    const Dia<float> header{rows, cols, 1, {}, {}, {}};
    return code_of([&] { (void)Dia<float>::sized(header, count, plain_host_memory()); });
  };
  EXPECT_EQ(sized(huge, 3, 1), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(huge / 4, 3, 8), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(-1, 3, 1), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(3, Index{1} << 31, 1), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(3, 3, -1), ErrorCode::OutOfRange);
}

double diagonals_of(const Csr<double>& csr) {
  std::set<Index> seen;
  for (Index i = 0; i < csr.rows; ++i) {
    csr.row(i, [&](Column column, double) { seen.insert(column - i); });
  }
  return static_cast<double>(seen.size());
}

TEST(Dia, DiagonalsAreCountedFromSampledRows) {
  const auto slots = static_cast<std::size_t>(Format::Dia);
  for (const Index rows : {1, 60, 256, 5000, 90'000}) {
    for (const auto kind : {MatrixKind::Banded, MatrixKind::Poisson2d, MatrixKind::Poisson3d}) {
      GenerateOptions options{.kind = kind, .rows = rows};
      if (kind == MatrixKind::Banded) options.bandwidth = std::min<Index>(rows, 7);
      const auto csr = generate<double>(options);
      const Structure structure = structure_of(csr);
      EXPECT_EQ(structure.slots[slots], diagonals_of(csr) * static_cast<double>(csr.rows))
          << name(kind) << " " << rows;
    }
  }
}

// One row of many elements has as many diagonals, whether it is looked at or not.
TEST(Dia, ALongRowIsNotMissed) {
  std::vector<Triplet<double>> triplets;
  for (Index i = 0; i < 9000; ++i) triplets.push_back({i, i, 1.0});
  for (Index j = 0; j < 9000; j += 2) triplets.push_back({4501, j, 1.0});
  const auto csr = csr_from_triplets<double>(9000, 9000, triplets);
  EXPECT_GE(structure_of(csr).slots[static_cast<std::size_t>(Format::Dia)], 9000.0 * 4501);
}

// What is hopeless is not counted to the end: as many as there can be.
TEST(Dia, ScatteredElementsHaveAsManyDiagonalsAsThereCanBe) {
  const auto csr =
      generate<double>({.kind = MatrixKind::Uniform, .rows = 4000, .cols = 3000, .density = 2e-3});
  const auto slots = static_cast<std::size_t>(Format::Dia);
  EXPECT_EQ(structure_of(csr).slots[slots], 4000.0 * 6999);
  Structure unseen = structure_of(csr);
  unseen.slots = unknown_slots;
  EXPECT_GE(dia_slots(unseen, nullptr), 4000 * diagonals_of(csr));
}

TEST(Dia, ItsStructureAndSizeAreThoseOfTheSameMatrixInCsr) {
  const std::vector<Triplet<double>> triplets{
      {0, 0, 4.0}, {0, 2, 5.0}, {1, 1, 0.0}, {2, 0, 6.0}, {2, 2, 7.0}};
  const Structure csr = structure_of(csr_from_triplets<double>(3, 4, triplets));
  const Storage<double> matrix = small_dia();
  const Structure dia = structure_of(matrix);
  EXPECT_EQ(dia.nnz, csr.nnz);
  EXPECT_EQ(dia.longest_row, csr.longest_row);
  EXPECT_EQ(dia.empty_rows, csr.empty_rows);
  EXPECT_EQ(dia.lines_per_nonzero, csr.lines_per_nonzero);
  EXPECT_EQ(format_of(matrix), Format::Dia);
  for (const Structure& structure : {csr, dia}) {
    EXPECT_EQ(bytes_in(Format::Dia, structure, 8), static_cast<double>(bytes_of(matrix)));
  }
}

}  // namespace
}  // namespace switchyard
