// BSR: its layout, its sizes, its checks, and what is known of it.
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/generate.hpp>
#include <switchyard/containers/matrix_market.hpp>

#include "code_of.hpp"

namespace switchyard {
namespace {

/// 3 x 5 in blocks of 2. Row 0: columns 0 (a stored zero), 1 and 4; row 1: column 1; row 2: column
/// 3.
Bsr<double> small_bsr() {
  Bsr<double> bsr{Format::Bsr2, 3, 5, 5, {}, {}, {}, {}};
  bsr.offsets = Array<std::int32_t>(std::vector<std::int32_t>{0, 2, 3});
  bsr.columns = Array<Column>(std::vector<Column>{0, 2, 1});
  bsr.masks = Array<std::uint16_t>(std::vector<std::uint16_t>{0b1011, 0b0001, 0b0010});
  bsr.values = Array<double>(std::vector<double>{0, 2, 0, 4, 3, 0, 0, 0, 0, 5, 0, 0});
  return bsr;
}
std::vector<Triplet<double>> small_triplets() {
  return {{0, 0, 0}, {0, 1, 2}, {0, 4, 3}, {1, 1, 4}, {2, 3, 5}};
}

using Elements = std::vector<std::pair<Column, double>>;

TEST(Bsr, RowsHaveWhatIsStoredInTheirBlocks) {
  const auto bsr = small_bsr();
  EXPECT_NO_THROW(bsr.check());
  Elements seen;
  const auto visit = [&seen](Column column, double value) { seen.emplace_back(column, value); };
  for (Index i = 0; i < 3; ++i) bsr.row(i, visit);
  EXPECT_EQ(seen, (Elements{{0, 0}, {1, 2}, {4, 3}, {1, 4}, {3, 5}}));
  seen.clear();
  bsr.row(0, visit, 1, 2);
  bsr.row(0, visit, 2);
  bsr.row(0, visit, 3);
  EXPECT_EQ(seen, (Elements{{1, 2}, {4, 3}}));
  std::vector<Index> lengths(2, -1);
  bsr.row_lengths(1, lengths);
  EXPECT_EQ(lengths, (std::vector<Index>{1, 1}));
  bsr.row_lengths(0, lengths);
  EXPECT_EQ(lengths, (std::vector<Index>{3, 1}));
}

TEST(Bsr, IsWrittenAsAnyOtherFormat) {
  EXPECT_EQ(format_matrix_market<double>(small_bsr()),
            "%%MatrixMarket matrix coordinate real general\n3 5 5\n1 1 0\n1 2 2\n1 5 3\n2 2 4\n"
            "3 4 5\n");
}

TEST(Bsr, ArraysThatDoNotFitAreRefused) {
  const auto refused = [](const auto& change) { return code_of_check(small_bsr(), change); };
  const auto invalid = ErrorCode::InvalidArgument;
  EXPECT_EQ(refused([](auto& bsr) { bsr.rows = 2; }), invalid);
  EXPECT_EQ(refused([](auto& bsr) { bsr.rows = 5; }), invalid);
  EXPECT_EQ(refused([](auto& bsr) { bsr.cols = 4; }), invalid);
  EXPECT_EQ(refused([](auto& bsr) { bsr.cols = -1; }), invalid);
  EXPECT_EQ(refused([](auto& bsr) { bsr.nnz = 4; }), invalid);
  EXPECT_EQ(refused([](auto& bsr) { bsr.format = Format::Bsr4; }), invalid);
  EXPECT_EQ(refused([](auto& bsr) { bsr.columns[1] = 0; }), invalid);
  EXPECT_EQ(refused([](auto& bsr) { bsr.columns[0] = -1; }), invalid);
  EXPECT_EQ(refused([](auto& bsr) { bsr.values.shrink(8); }), invalid);
  EXPECT_EQ(refused([](auto& bsr) { bsr.masks.shrink(2); }), invalid);
  EXPECT_EQ(refused([](auto& bsr) { std::get<0>(bsr.offsets)[0] = 1; }), invalid);
  EXPECT_EQ(refused([](auto& bsr) { std::get<0>(bsr.offsets)[1] = 4; }), invalid);
  EXPECT_EQ(refused([](auto& bsr) { std::get<0>(bsr.offsets)[2] = -3; }), invalid);
  // An empty block; an element in a row, in a column and in a place that are not there.
  EXPECT_EQ(refused([](auto& bsr) {
              bsr.masks[1] = 0;
              bsr.nnz = 4;
            }),
            invalid);
  EXPECT_EQ(refused([](auto& bsr) { bsr.masks[2] = 0b1000; }), invalid);
  EXPECT_EQ(refused([](auto& bsr) { bsr.masks[1] = 0b0010; }), invalid);
  EXPECT_EQ(refused([](auto& bsr) { bsr.masks[1] = 0b10000; }), invalid);
}

TEST(Bsr, SizesThatCannotBeAreRefused) {
  constexpr Index huge = std::numeric_limits<Index>::max();
  const auto sized = [](Index rows, Index cols, Index nnz) {
    return code_of([=] {
      (void)Bsr<float>::sized({Format::Bsr4, rows, cols, nnz, {}, {}, {}, {}}, plain_host_memory());
    });
  };
  EXPECT_EQ(sized(-1, 3, 0), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(huge, 3, 0), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(3, Index{1} << 31, 0), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(3, 3, -1), ErrorCode::OutOfRange);
  auto bsr = small_bsr();
  EXPECT_EQ(code_of([&] { bsr.add_blocks(huge / 2, plain_host_memory()); }), ErrorCode::OutOfRange);
}

/// The slots of a matrix in blocks, from every element.
double slots_of_all_blocks(const Csr<double>& csr, Index b) {
  Index blocks = 0;
  for (Index first = 0; first < csr.rows; first += b) {
    std::set<Index> columns;
    for (Index k = csr.offset(first); k < csr.offset(std::min(first + b, csr.rows)); ++k) {
      columns.insert(csr.columns[k] / b);
    }
    blocks += std::ssize(columns);
  }
  return static_cast<double>(blocks * b * b);
}

constexpr std::array bsr_formats{Format::Bsr2, Format::Bsr3, Format::Bsr4};

TEST(Bsr, SlotsOfSmallMatricesAreCountedAndOfOthersSampled) {
  for (const MatrixKind kind : {MatrixKind::PowerLaw, MatrixKind::Banded, MatrixKind::Uniform,
                                MatrixKind::Poisson2d, MatrixKind::Poisson3d}) {
    for (const Index rows : {1, 25, 60, 2025, 90'000}) {
      const auto density = kind == MatrixKind::Uniform
                               ? std::optional<double>(6.0 / static_cast<double>(rows + 6))
                               : std::nullopt;
      const Index bandwidth = kind == MatrixKind::Banded ? 5 : 0;
      const auto csr = generate<double>(
          {.kind = kind, .rows = rows, .density = density, .bandwidth = bandwidth, .seed = 2});
      const Structure structure = structure_of(csr);
      for (const Format format : bsr_formats) {
        const double exact = slots_of_all_blocks(csr, bsr_block(format));
        const double known = structure.slots[static_cast<std::size_t>(format)];
        const double tolerance = rows + csr.nnz <= 1024 ? 0 : 0.2 * exact;
        EXPECT_NEAR(known, exact, tolerance) << name(kind) << " " << rows << " " << name(format);
        EXPECT_GE(bsr_slots(bsr_block(format), structure, nullptr), exact)
            << name(kind) << " " << rows << " " << name(format);
      }
    }
  }
}

TEST(Bsr, ScatteredElementsBesideFullBlocksDoNotEndTheSampling) {
  constexpr Index rows = 40'000;
  std::vector<Triplet<double>> triplets;
  for (Index i = 0; i < rows; ++i) {
    const bool is_scattered = i / 4 % 7 == 0;
    for (Index j = 0; j < 8; ++j) {
      const Index in_blocks = i / 4 * 4 + j;
      triplets.push_back({i, (is_scattered ? i * 7919 + j * 4999 : in_blocks) % rows, 1.0});
    }
  }
  const auto csr = csr_from_triplets<double>(rows, rows, triplets);
  for (const Format format : {Format::Bsr2, Format::Bsr4}) {
    const double exact = slots_of_all_blocks(csr, bsr_block(format));
    EXPECT_NEAR(structure_of(csr).slots[static_cast<std::size_t>(format)], exact, 0.2 * exact)
        << name(format);
  }
}

TEST(Bsr, LongRowsAreCountedToTheirEnd) {
  std::vector<Triplet<double>> triplets;
  for (const Index i : {1, 2}) {
    for (Index j = 0; j < 400; ++j) triplets.push_back({i, j * (i + 1), 1.0});
  }
  const auto csr = csr_from_triplets<double>(7, 1200, triplets);
  for (const Format format : bsr_formats) {
    EXPECT_EQ(structure_of(csr).slots[static_cast<std::size_t>(format)],
              slots_of_all_blocks(csr, bsr_block(format)));
  }
}

TEST(Bsr, ItsStructureIsThatOfTheSameMatrixInCsr) {
  const Structure csr = structure_of(csr_from_triplets<double>(3, 5, small_triplets()));
  const Storage<double> matrix = small_bsr();
  const Structure bsr = structure_of(matrix);
  EXPECT_EQ(bsr.nnz, csr.nnz);
  EXPECT_EQ(bsr.longest_row, csr.longest_row);
  EXPECT_EQ(bsr.lines_per_nonzero, csr.lines_per_nonzero);
  EXPECT_EQ(format_of(matrix), Format::Bsr2);
  EXPECT_EQ(slots_of(matrix), 12);
  for (const Structure& structure : {csr, bsr}) {
    EXPECT_EQ(bytes_in(Format::Bsr2, structure, 8), static_cast<double>(bytes_of(matrix)));
  }
}

}  // namespace
}  // namespace switchyard
