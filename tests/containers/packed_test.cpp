// Packed CSR: its layout, its sizes, its checks, and what is known of it.
#include <gtest/gtest.h>

#include <limits>
#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/generate.hpp>
#include <switchyard/containers/matrix_market.hpp>

#include "code_of.hpp"

namespace switchyard {
namespace {

constexpr Index far_column = 100'000;

/// 65 rows: row 0 has columns 1 and 100'000, which is a wide tile; row 64 has columns 70'000 and
/// 70'003.
Packed<double> small_packed() {
  Packed<double> packed{Format::Csr16, 65, far_column + 1, 4};
  std::vector<std::int32_t> offsets(66, 2);
  offsets[0] = 0;
  offsets[65] = 4;
  packed.offsets = Array<std::int32_t>(std::move(offsets));
  packed.tiles = Array<PackedTile>(std::vector<PackedTile>{{0, -1}, {2, 65536}});
  packed.wide = Array<Column>(std::vector<Column>{1, far_column});
  packed.narrow = Array<std::uint16_t>(std::vector<std::uint16_t>{70'000 - 65536, 70'003 - 65536});
  packed.values = Array<double>(std::vector<double>{1, 2, 3, 4});
  return packed;
}

using Elements = std::vector<std::pair<Column, double>>;

TEST(Packed, RowsHaveTheColumnsOfTheirTile) {
  const auto packed = small_packed();
  EXPECT_NO_THROW(packed.check());
  Elements seen;
  const auto visit = [&seen](Column column, double value) { seen.emplace_back(column, value); };
  for (Index i = 0; i < 65; ++i) packed.row(i, visit);
  EXPECT_EQ(seen, (Elements{{1, 1}, {far_column, 2}, {70'000, 3}, {70'003, 4}}));
  seen.clear();
  packed.row(0, visit, 1);
  packed.row(64, visit, 0, 1);
  EXPECT_EQ(seen, (Elements{{far_column, 2}, {70'000, 3}}));
  std::vector<Index> lengths(2, -1);
  packed.row_lengths(63, lengths);
  EXPECT_EQ(lengths, (std::vector<Index>{0, 2}));
}

TEST(Packed, IsWrittenAsAnyOtherFormat) {
  EXPECT_EQ(format_matrix_market<double>(small_packed()),
            "%%MatrixMarket matrix coordinate real general\n65 100001 4\n1 2 1\n1 100001 2\n"
            "65 70001 3\n65 70004 4\n");
}

TEST(Packed, ArraysThatDoNotFitAreRefused) {
  const auto refused = [](const auto& change) { return code_of_check(small_packed(), change); };
  const auto invalid = ErrorCode::InvalidArgument;
  EXPECT_EQ(refused([](auto& packed) { packed.rows = 64; }), invalid);
  EXPECT_EQ(refused([](auto& packed) { packed.cols = -1; }), invalid);
  EXPECT_EQ(refused([](auto& packed) { packed.nnz = 3; }), invalid);
  EXPECT_EQ(refused([](auto& packed) { packed.tiles[0].base = 0; }), invalid);
  EXPECT_EQ(refused([](auto& packed) { packed.tiles[1].base = -2; }), invalid);
  EXPECT_EQ(refused([](auto& packed) { packed.tiles[1].shift = 0; }), invalid);
  EXPECT_EQ(refused([](auto& packed) { packed.tiles.shrink(1); }), invalid);
  EXPECT_EQ(refused([](auto& packed) { packed.narrow.shrink(1); }), invalid);
  EXPECT_EQ(refused([](auto& packed) { packed.values.shrink(3); }), invalid);
  EXPECT_EQ(refused([](auto& packed) { packed.codes = Array<std::uint8_t>(4); }), invalid);
  EXPECT_EQ(refused([](auto& packed) { std::get<0>(packed.offsets)[65] = 3; }), invalid);
  EXPECT_EQ(refused([](auto& packed) { std::get<0>(packed.offsets)[64] = 5; }), invalid);
}

TEST(Packed, SizesThatCannotBeAreRefused) {
  constexpr Index huge = std::numeric_limits<Index>::max();
  const auto sized = [](Index rows, Index cols, Index nnz) {
    return code_of([=] {
      (void)Packed<float>::sized({Format::Csr16, rows, cols, nnz}, plain_host_memory());
    });
  };
  EXPECT_EQ(sized(-2, 3, 0), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(3, Index{1} << 31, 0), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(3, 3, -1), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(3, 3, huge), ErrorCode::OutOfRange);
}

TEST(Packed, ABaseReachesAllColumnsOfItsTile) {
  for (const Index first : {0, 1, 32767, 32768, 65535, 65536, 99'000, 2'147'400'000}) {
    for (const Index span : {0, 1, 32767, 32768, 65534, 65535}) {
      const Index base = packed_base(first, first + span);
      EXPECT_GE(base, 0) << first << " " << span;
      EXPECT_LE(base, first) << span;
      EXPECT_LE(first + span - base, 65535) << first;
    }
    EXPECT_EQ(packed_base(first, first + 65536), -1) << first;
  }
  EXPECT_EQ(packed_base(0, 65536), -1);
  EXPECT_EQ(packed_base(3, 65535), 0);
  // Tiles that drift along a band share their base for long.
  EXPECT_EQ(packed_base(70'000, 80'000), packed_base(90'000, 98'000));
}

/// The 16-bit units of all columns, from every element.
double packed_units_of(const Csr<double>& csr) {
  Index units = 0;
  for (Index begin = 0; begin < csr.rows; begin += packed_tile_rows) {
    const Index from = csr.offset(begin);
    const Index to = csr.offset(std::min(begin + packed_tile_rows, csr.rows));
    if (from == to) continue;
    const auto [first, last] =
        std::minmax_element(csr.columns.data() + from, csr.columns.data() + to);
    units += (to - from) * (packed_base(*first, *last) < 0 ? 2 : 1);
  }
  return static_cast<double>(units);
}

TEST(Packed, SlotsOfFewTilesAreCountedAndOfManySampled) {
  const auto slots = static_cast<std::size_t>(Format::Csr16);
  for (const MatrixKind kind : {MatrixKind::PowerLaw, MatrixKind::Banded, MatrixKind::Poisson2d}) {
    for (const Index rows : {1, 700, 40'000, 200'000}) {
      const auto csr = generate<double>(
          {.kind = kind,
           .rows = rows,
           .cols = kind == MatrixKind::PowerLaw ? 300'000 : 0,
           .density = kind == MatrixKind::PowerLaw ? std::optional<double>(1e-5) : std::nullopt,
           .bandwidth = kind == MatrixKind::Banded ? 20 : 0,
           .seed = 2});
      const Structure structure = structure_of(csr);
      const double exact = packed_units_of(csr);
      const double tolerance = rows <= 700 ? 0 : 0.1 * exact;
      EXPECT_NEAR(structure.slots[slots], exact, tolerance) << name(kind) << " " << rows;
      Structure unseen = structure;
      unseen.slots = unknown_slots;
      EXPECT_GE(packed_slots(unseen, nullptr), exact) << name(kind) << " " << rows;
    }
  }
}

/// Rows of 3, 0 and 2 elements: columns 1, 255 and 1000; 256 and 100'000.
Packed<double> small_blocked() {
  Packed<double> blocked{Format::Csr8, 3, far_column + 1, 5};
  blocked.offsets = Array<std::int32_t>(std::vector<std::int32_t>{0, 3, 3, 5});
  blocked.first_heads = Array<std::int32_t>(std::vector<std::int32_t>{0, 2, 2, 4});
  blocked.heads = Array<std::uint32_t>(
      std::vector<std::uint32_t>{0, 3U << 16U | 2U, 1U << 16U | 3U, 390U << 16U | 4U});
  blocked.low = Array<std::uint8_t>(std::vector<std::uint8_t>{1, 255, 232, 0, 160});
  blocked.values = Array<double>(std::vector<double>{1, 2, 3, 4, 5});
  return blocked;
}

TEST(Packed, HeadsSayInWhichBlocksColumnsAre) {
  const auto blocked = small_blocked();
  EXPECT_NO_THROW(blocked.check());
  Elements seen;
  const auto visit = [&seen](Column column, double value) { seen.emplace_back(column, value); };
  for (Index i = 0; i < 3; ++i) blocked.row(i, visit);
  EXPECT_EQ(seen, (Elements{{1, 1}, {255, 2}, {1000, 3}, {256, 4}, {far_column, 5}}));
  seen.clear();
  blocked.row(0, visit, 1, 2);
  blocked.row(2, visit, 1);
  EXPECT_EQ(seen, (Elements{{255, 2}, {far_column, 5}}));
  const Structure structure = structure_of(blocked);
  EXPECT_EQ(structure.slots[static_cast<std::size_t>(Format::Csr8)], 4);
  EXPECT_EQ(bytes_in(Format::Csr8, structure, 8),
            static_cast<double>(bytes_of(Storage<double>(small_blocked()))));
}

TEST(Packed, HeadsOfWideMatricesHaveTwoWords) {
  Packed<double> blocked = small_blocked();
  blocked.cols = one_word_columns + 2;
  blocked.heads = Array<std::uint32_t>(std::vector<std::uint32_t>{0, 0, 3, 2, 1, 3, 1U << 16U, 4});
  blocked.low[4] = 1;
  EXPECT_NO_THROW(blocked.check());
  Elements seen;
  blocked.row(2, [&seen](Column column, double value) { seen.emplace_back(column, value); });
  EXPECT_EQ(seen, (Elements{{256, 4}, {one_word_columns + 1, 5}}));
  const double bytes = bytes_in(Format::Csr8, structure_of(blocked), 8);
  EXPECT_EQ(bytes, static_cast<double>(bytes_of(Storage<double>(std::move(blocked)))));
}

TEST(Packed, HeadsThatDoNotFitAreRefused) {
  const auto refused = [](const auto& change) { return code_of_check(small_blocked(), change); };
  const auto invalid = ErrorCode::InvalidArgument;
  EXPECT_EQ(refused([](auto& blocked) { blocked.cols = far_column - 1000; }), invalid);
  EXPECT_EQ(refused([](auto& blocked) { blocked.cols = one_word_columns + 1; }), invalid);
  EXPECT_EQ(refused([](auto& blocked) { blocked.heads[1] = 3U << 16U | 3U; }), invalid);
  EXPECT_EQ(refused([](auto& blocked) { blocked.heads[1] = 3U << 16U; }), invalid);
  EXPECT_EQ(refused([](auto& blocked) { blocked.heads[1] = 2U; }), invalid);
  EXPECT_EQ(refused([](auto& blocked) { blocked.heads[2] = 1U << 16U | 2U; }), invalid);
  EXPECT_EQ(refused([](auto& blocked) { blocked.heads.shrink(3); }), invalid);
  EXPECT_EQ(refused([](auto& blocked) { blocked.low.shrink(4); }), invalid);
  EXPECT_EQ(refused([](auto& blocked) { blocked.first_heads = Array<std::int64_t>(4); }), invalid);
  EXPECT_EQ(refused([](auto& blocked) { std::get<0>(blocked.first_heads)[1] = 5; }), invalid);
  EXPECT_EQ(refused([](auto& blocked) { std::get<0>(blocked.first_heads)[2] = 3; }), invalid);
}

/// The heads of a matrix, from every element.
double heads_of(const Csr<double>& csr) {
  Index heads = 0;
  for (Index i = 0; i < csr.rows; ++i) {
    for (Index k = csr.offset(i); k < csr.offset(i + 1); ++k) {
      heads += k == csr.offset(i) || csr.columns[k] / 256 != csr.columns[k - 1] / 256 ? 1 : 0;
    }
  }
  return static_cast<double>(heads);
}

TEST(Packed, HeadsOfFewElementsAreCountedAndOfManySampled) {
  const auto slots = static_cast<std::size_t>(Format::Csr8);
  for (const MatrixKind kind : {MatrixKind::PowerLaw, MatrixKind::Banded, MatrixKind::Uniform}) {
    for (const Index rows : {1, 20, 900, 20'000}) {
      const auto csr = generate<double>(
          {.kind = kind,
           .rows = rows,
           .cols = kind == MatrixKind::Banded ? 0 : 30'000,
           .density = kind == MatrixKind::Banded ? std::nullopt : std::optional(0.001),
           .bandwidth = kind == MatrixKind::Banded ? 20 : 0,
           .seed = 2});
      const Structure structure = structure_of(csr);
      const double exact = heads_of(csr);
      // Rows of a power law differ more than few of them show.
      const double share = kind == MatrixKind::PowerLaw ? 0.2 : 0.05;
      const double tolerance = csr.nnz <= 1024 ? 0 : share * exact;
      EXPECT_NEAR(structure.slots[slots], exact, tolerance) << name(kind) << " " << rows;
      Structure unseen = structure;
      unseen.slots = unknown_slots;
      EXPECT_GE(packed_heads(unseen, nullptr), exact) << name(kind) << " " << rows;
    }
  }
}

TEST(Packed, ItsStructureIsThatOfTheSameMatrixInCsr) {
  const std::vector<Triplet<double>> triplets{
      {0, 1, 1}, {0, far_column, 2}, {64, 70'000, 3}, {64, 70'003, 4}};
  const Structure csr = structure_of(csr_from_triplets<double>(65, far_column + 1, triplets));
  const Storage<double> matrix = small_packed();
  const Structure packed = structure_of(matrix);
  EXPECT_EQ(packed.nnz, csr.nnz);
  EXPECT_EQ(packed.longest_row, csr.longest_row);
  EXPECT_EQ(packed.lines_per_nonzero, csr.lines_per_nonzero);
  EXPECT_EQ(columns_of(format_of(matrix)), ColumnCoding::Tiled16);
  for (const Structure& structure : {csr, packed}) {
    EXPECT_EQ(structure.slots[static_cast<std::size_t>(Format::Csr16)], 6);
    EXPECT_EQ(bytes_in(Format::Csr16, structure, 8), static_cast<double>(bytes_of(matrix)));
  }
}

}  // namespace
}  // namespace switchyard
