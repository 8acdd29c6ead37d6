// SELL-C-sigma: its layout, its sizes, its checks, and what is known of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/generate.hpp>
#include <switchyard/containers/matrix_market.hpp>

#include "code_of.hpp"

namespace switchyard {
namespace {

/// Row 0: column 1; row 1: columns 0 and 2; row 2: nothing.
Sell<double> small_sell() {
  Sell<double> sell{Format::Sell8, 3, 4, 3, {}, {}, {}, {}, {}};
  sell.starts = Array<Index>(std::vector<Index>{0, 2});
  sell.order = Array<Column>(std::vector<Column>{1, 0, 2});
  sell.lengths = Array<Column>(std::vector<Column>{2, 1, 0, 0, 0, 0, 0, 0});
  sell.columns = Array<Column>(std::vector<Column>{0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0});
  sell.values = Array<double>(std::vector<double>{5, 4, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0});
  return sell;
}

using Elements = std::vector<std::pair<Column, double>>;

TEST(Sell, RowsAreFoundWhereTheyWereSorted) {
  const auto sell = small_sell();
  EXPECT_NO_THROW(sell.check());
  Elements seen;
  const auto visit = [&seen](Column column, double value) { seen.emplace_back(column, value); };
  for (Index i = 0; i < 3; ++i) sell.row(i, visit);
  EXPECT_EQ(seen, (Elements{{1, 4}, {0, 5}, {2, 6}}));
  seen.clear();
  sell.row(1, visit, 1);
  sell.row(1, visit, 0, 1);
  EXPECT_EQ(seen, (Elements{{2, 6}, {0, 5}}));
  std::vector<Index> lengths(3, -1);
  sell.row_lengths(0, lengths);
  EXPECT_EQ(lengths, (std::vector<Index>{1, 2, 0}));
  sell.row_lengths(1, {lengths.data(), 1});
  sell.row_lengths(1, {lengths.data() + 1, 2});
  EXPECT_EQ(lengths, (std::vector<Index>{2, 2, 0}));
}

TEST(Sell, IsWrittenAsAnyOtherFormat) {
  EXPECT_EQ(format_matrix_market<double>(small_sell()),
            "%%MatrixMarket matrix coordinate real general\n3 4 3\n1 2 4\n2 1 5\n2 3 6\n");
}

TEST(Sell, ArraysThatDoNotFitAreRefused) {
  const auto refused = [](const auto& change) { return code_of_check(small_sell(), change); };
  const auto invalid = ErrorCode::InvalidArgument;
  EXPECT_EQ(refused([](auto& sell) { sell.rows = 2; }), invalid);
  EXPECT_EQ(refused([](auto& sell) { sell.rows = 9; }), invalid);
  EXPECT_EQ(refused([](auto& sell) { sell.cols = -1; }), invalid);
  EXPECT_EQ(refused([](auto& sell) { sell.nnz = 4; }), invalid);
  EXPECT_EQ(refused([](auto& sell) { sell.format = Format::Sell32; }), invalid);
  EXPECT_EQ(refused([](auto& sell) { sell.starts[0] = 1; }), invalid);
  EXPECT_EQ(refused([](auto& sell) { sell.starts[1] = 1; }), invalid);
  EXPECT_EQ(refused([](auto& sell) { sell.starts[1] = -1; }), invalid);
  EXPECT_EQ(refused([](auto& sell) { sell.lengths[0] = 3; }), invalid);
  EXPECT_EQ(refused([](auto& sell) { sell.lengths[1] = -1; }), invalid);
  EXPECT_EQ(refused([](auto& sell) { sell.order[2] = 0; }), invalid);
  EXPECT_EQ(refused([](auto& sell) { sell.order[2] = 3; }), invalid);
  // An element in a position that has no row.
  EXPECT_EQ(refused([](auto& sell) {
              sell.lengths[1] = 0;
              sell.lengths[3] = 1;
            }),
            invalid);
}

TEST(Sell, SizesThatCannotBeAreRefused) {
  constexpr Index huge = std::numeric_limits<Index>::max();
  const auto sized = [](Index rows, Index cols) {
    return code_of([=] {
      (void)Sell<float>::sized({Format::Sell32, rows, cols, 0, {}, {}, {}, {}, {}},
                               plain_host_memory());
    });
  };
  EXPECT_EQ(sized(huge, 3), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(-1, 3), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(3, Index{1} << 31), ErrorCode::OutOfRange);
  auto sell = small_sell();
  EXPECT_EQ(code_of([&] { sell.add_slots(huge / 2, plain_host_memory()); }), ErrorCode::OutOfRange);
}

/// The slots of a matrix in a SELL format, by sorting.
double slots_by_sorting(const Csr<double>& csr, SellShape shape) {
  Index slots = 0;
  for (Index first = 0; first < csr.rows; first += shape.window) {
    std::vector<Index> lengths(static_cast<std::size_t>(std::min(shape.window, csr.rows - first)));
    csr.row_lengths(first, lengths);
    std::ranges::sort(lengths, std::greater<>{});
    for (std::size_t p = 0; p < lengths.size(); p += static_cast<std::size_t>(shape.height)) {
      slots += lengths[p] * shape.height;
    }
  }
  return static_cast<double>(slots);
}

TEST(Sell, SlotsOfFewWindowsAreCountedAndOfManySampled) {
  for (const MatrixKind kind : {MatrixKind::PowerLaw, MatrixKind::Uniform, MatrixKind::Poisson2d}) {
    for (const Index rows : {1, 700, 2025, 90'000}) {
      const auto density = kind == MatrixKind::Uniform
                               ? std::optional<double>(30.0 / static_cast<double>(rows + 3000))
                               : std::nullopt;
      const auto csr =
          generate<double>({.kind = kind, .rows = rows, .density = density, .seed = 2});
      const Structure structure = structure_of(csr);
      for (const Format format : {Format::Sell8, Format::Sell32}) {
        const double exact = slots_by_sorting(csr, sell_shape(format));
        const double known = structure.slots[static_cast<std::size_t>(format)];
        const double tolerance = rows <= 2025 ? 0 : 0.2 * exact;
        EXPECT_NEAR(known, exact, tolerance) << name(kind) << " " << rows << " " << name(format);
        EXPECT_GE(sell_slots(sell_shape(format), structure, nullptr), exact)
            << name(kind) << " " << rows << " " << name(format);
      }
    }
  }
}

// Lengths beyond those that are counted by length.
TEST(Sell, SlotsOfLongRowsAreCounted) {
  std::vector<Triplet<double>> triplets;
  for (const Index i : {0, 3, 7, 9, 30}) {
    for (Index j = 0; j < 500 + 100 * i; ++j) triplets.push_back({i, j, 1.0});
  }
  const auto csr = csr_from_triplets<double>(40, 4000, triplets);
  for (const Format format : {Format::Sell8, Format::Sell32}) {
    EXPECT_EQ(structure_of(csr).slots[static_cast<std::size_t>(format)],
              slots_by_sorting(csr, sell_shape(format)));
  }
}

TEST(Sell, ItsStructureIsThatOfTheSameMatrixInCsr) {
  const std::vector<Triplet<double>> triplets{{0, 1, 4.0}, {1, 0, 5.0}, {1, 2, 6.0}};
  const Structure csr = structure_of(csr_from_triplets<double>(3, 4, triplets));
  const Storage<double> matrix = small_sell();
  const Structure sell = structure_of(matrix);
  EXPECT_EQ(sell.nnz, csr.nnz);
  EXPECT_EQ(sell.longest_row, csr.longest_row);
  EXPECT_EQ(sell.empty_rows, csr.empty_rows);
  EXPECT_EQ(sell.lines_per_nonzero, csr.lines_per_nonzero);
  EXPECT_EQ(format_of(matrix), Format::Sell8);
  for (const Structure& structure : {csr, sell}) {
    EXPECT_EQ(bytes_in(Format::Sell8, structure, 8), static_cast<double>(bytes_of(matrix)));
  }
}

}  // namespace
}  // namespace switchyard
