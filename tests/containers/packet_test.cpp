// Packets: their layout, sizes, checks, and what is known of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/generate.hpp>
#include <switchyard/containers/matrix_market.hpp>

#include "code_of.hpp"

namespace switchyard {
namespace {

/// Rows 0 and 1 share the columns 2, 5 and 7; row 2 is empty. Two packets.
Packets<double> small_packets() {
  Packets<double> packets{4, 9, 5, {}, {}, {}, {}, {}, {}};
  packets.offsets = Array<std::int32_t>(std::vector<std::int32_t>{0, 2, 4, 4, 5});
  packets.packets =
      Array<PacketStart>(std::vector<PacketStart>{{0, 0, 0, 0}, {3, 3, 0, 0}, {4, 4, 0, 0}});
  packets.pieces = Array<Column>(std::vector<Column>{2, 5, 7, 8});
  packets.narrow = Array<std::uint16_t>(std::vector<std::uint16_t>{0, 2, 1, 2, 0});
  packets.values = Array<double>(std::vector<double>{1, 2, 3, 4, 5});
  return packets;
}

/// Row 1 has more elements than a piece may have columns; rows 0 and 2 have one.
std::vector<Triplet<double>> with_a_long_row() {
  std::vector<Triplet<double>> triplets{{0, 3, 1.0}, {2, 4000, 2.0}};
  for (Index j = 0; j <= packet_columns; ++j) triplets.push_back({1, j, 1.0});
  return triplets;
}

using Elements = std::vector<std::pair<Column, double>>;

TEST(Packets, RowsHaveTheColumnsOfTheirPiece) {
  const auto packets = small_packets();
  EXPECT_NO_THROW(packets.check());
  Elements seen;
  const auto visit = [&seen](Column column, double value) { seen.emplace_back(column, value); };
  for (Index i = 0; i < 4; ++i) packets.row(i, visit);
  EXPECT_EQ(seen, (Elements{{2, 1}, {7, 2}, {5, 3}, {7, 4}, {8, 5}}));
  seen.clear();
  packets.row(1, visit, 1);
  packets.row(0, visit, 0, 1);
  EXPECT_EQ(seen, (Elements{{7, 4}, {2, 1}}));
  std::vector<Index> lengths(3, -1);
  packets.row_lengths(1, lengths);
  EXPECT_EQ(lengths, (std::vector<Index>{2, 0, 1}));
  EXPECT_EQ(packets.packet_of(2), 0);
  EXPECT_EQ(packets.packet_of(3), 1);
}

TEST(Packets, AreWrittenAsAnyOtherFormat) {
  EXPECT_EQ(format_matrix_market<double>(small_packets()),
            "%%MatrixMarket matrix coordinate real general\n4 9 5\n1 3 1\n1 8 2\n2 6 3\n2 8 4\n"
            "4 9 5\n");
}

TEST(Packets, ArraysThatDoNotFitAreRefused) {
  const auto refused = [](const auto& change) { return code_of_check(small_packets(), change); };
  const auto invalid = ErrorCode::InvalidArgument;
  EXPECT_EQ(refused([](auto& it) { it.rows = 3; }), invalid);
  EXPECT_EQ(refused([](auto& it) { it.cols = 8; }), invalid);
  EXPECT_EQ(refused([](auto& it) { it.nnz = 4; }), invalid);
  EXPECT_EQ(refused([](auto& it) { it.packets = Array<PacketStart>(); }), invalid);
  EXPECT_EQ(refused([](auto& it) { it.packets.shrink(2); }), invalid);
  EXPECT_EQ(refused([](auto& it) { it.packets[0].row = 1; }), invalid);
  EXPECT_EQ(refused([](auto& it) { it.packets[1].row = 0; }), invalid);
  EXPECT_EQ(refused([](auto& it) { it.packets[1].piece = 2; }), invalid);
  EXPECT_EQ(refused([](auto& it) { it.packets[1].shift = 1; }), invalid);
  EXPECT_EQ(refused([](auto& it) { it.packets[1].is_direct = 1; }), invalid);
  EXPECT_EQ(refused([](auto& it) { it.packets[1].is_direct = 2; }), invalid);
  EXPECT_EQ(refused([](auto& it) { it.packets[2].piece = 5; }), invalid);
  EXPECT_EQ(refused([](auto& it) { it.pieces[1] = 2; }), invalid);
  EXPECT_EQ(refused([](auto& it) { it.pieces[0] = -1; }), invalid);
  EXPECT_EQ(refused([](auto& it) { it.narrow[4] = 1; }), invalid);
  EXPECT_EQ(refused([](auto& it) { it.narrow.shrink(4); }), invalid);
  EXPECT_EQ(refused([](auto& it) { it.values.shrink(4); }), invalid);
  EXPECT_EQ(refused([](auto& it) { std::get<0>(it.offsets)[1] = 5; }), invalid);
  EXPECT_EQ(refused([](auto& it) { std::get<0>(it.offsets)[4] = 4; }), invalid);
}

TEST(Packets, SizesThatCannotBeAreRefused) {
  constexpr Index huge = std::numeric_limits<Index>::max();
  const auto sized = [](Index rows, Index cols, Index nnz) {
    return code_of([=] {
      (void)Packets<float>::sized({rows, cols, nnz, {}, {}, {}, {}, {}, {}}, {},
                                  plain_host_memory());
    });
  };
  EXPECT_EQ(sized(-1, 3, 0), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(huge, 3, 0), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(3, Index{1} << 31, 0), ErrorCode::OutOfRange);
  EXPECT_EQ(sized(3, 3, -1), ErrorCode::OutOfRange);
}

/// The units of 16 bits of all packets.
double packet_units_of(const Csr<double>& csr) {
  ColumnSet columns;
  Index units = csr.nnz;
  for (Index first = 0; first < csr.rows; first += packet_rows) {
    cut_packets(
        columns, first, std::min(first + packet_rows, csr.rows),
        [&](Index i) {
          return csr.columns.span().subspan(
              static_cast<std::size_t>(csr.offset(i)),
              static_cast<std::size_t>(csr.offset(i + 1) - csr.offset(i)));
        },
        [&](Index begin, Index end, bool is_direct) {
          units += 16 + (is_direct ? csr.offset(end) - csr.offset(begin) : 2 * columns.size());
        });
  }
  return static_cast<double>(units);
}

TEST(Packets, SlotsOfSmallMatricesAreCountedAndOfOthersSampled) {
  constexpr auto slots = static_cast<std::size_t>(Format::Packet);
  for (const MatrixKind kind : {MatrixKind::PowerLaw, MatrixKind::Banded, MatrixKind::Uniform,
                                MatrixKind::Poisson2d, MatrixKind::Poisson3d}) {
    for (const Index rows : {1, 25, 60, 2025, 90'000}) {
      const auto density = kind == MatrixKind::Uniform
                               ? std::optional<double>(6.0 / static_cast<double>(rows + 6))
                               : std::nullopt;
      const Index bandwidth = kind == MatrixKind::Banded ? 5 : 0;
      const auto csr = generate<double>(
          {.kind = kind, .rows = rows, .density = density, .bandwidth = bandwidth, .seed = 2});
      Structure structure = structure_of(csr);
      const double exact = packet_units_of(csr);
      if (rows + csr.nnz <= 1024) {
        EXPECT_EQ(structure.slots[slots], exact) << name(kind) << " " << rows;
      }
      // Packets that are sampled are cut short, and have more columns of pieces for each element.
      const double estimate = packet_bytes(structure, 4);
      structure.slots[slots] = exact;
      const double bytes = packet_bytes(structure, 4);
      EXPECT_GE(estimate, 0.9 * bytes) << name(kind) << " " << rows;
      EXPECT_LE(estimate, 1.2 * bytes) << name(kind) << " " << rows;
      EXPECT_GE(packet_slots(structure, nullptr), exact) << name(kind) << " " << rows;
    }
  }
}

TEST(Packets, NoMatrixTakesMoreThanIsKnownWithoutItsRows) {
  const auto check = [](const Csr<double>& csr, const char* what) {
    EXPECT_GE(packet_slots(structure_of(csr), nullptr), packet_units_of(csr)) << what;
  };
  check(csr_from_triplets<double>(3, 5000, with_a_long_row()), "a long row");
  std::vector<Triplet<double>> halves;
  for (Index i = 0; i < 40; ++i) {
    for (Index j = 0; j < packet_columns / 2 + 1; ++j) halves.push_back({i, i * 2000 + j, 1.0});
  }
  check(csr_from_triplets<double>(40, 100'000, halves), "a packet for each row");
  check(csr_from_triplets<double>(1000, 5, {}), "no elements");
}

TEST(Packets, TheirStructureIsThatOfTheSameMatrixInCsr) {
  const Structure csr = structure_of(csr_from_triplets<double>(
      4, 9, std::vector<Triplet<double>>{{0, 2, 1}, {0, 7, 2}, {1, 5, 3}, {1, 7, 4}, {3, 8, 5}}));
  const Structure packets = structure_of(small_packets());
  EXPECT_EQ(packets.nnz, csr.nnz);
  EXPECT_EQ(packets.longest_row, csr.longest_row);
  EXPECT_EQ(packets.lines_per_nonzero, csr.lines_per_nonzero);
  constexpr auto slots = static_cast<std::size_t>(Format::Packet);
  EXPECT_EQ(packets.slots[slots], csr.slots[slots]);
}

TEST(ColumnSet, HasRoomForSoManyAndKeepsThemInOrder) {
  ColumnSet set;
  std::vector<Column> row;
  for (Column j = 0; j < ColumnSet::most; ++j) row.push_back(2'000'000'000 - 70'001 * j % 4096 * 9);
  std::ranges::sort(row);
  ASSERT_EQ(std::ranges::adjacent_find(row), row.end());
  const std::span<const Column> all(row);
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_TRUE(set.add(all.subspan(1000)));
    EXPECT_TRUE(set.add(all.subspan(500, 1000)));
    EXPECT_TRUE(set.add(all.first(501)));
    EXPECT_EQ(set.size(), ColumnSet::most);
    const std::array<Column, 3> more{row[7], row[7] + 1, 2'000'000'001};
    EXPECT_FALSE(set.add(more)) << "no room for two more";
    EXPECT_TRUE(set.add(std::span(more).first(1))) << "this one is there";
    EXPECT_EQ(set.size(), ColumnSet::most);
    std::vector<Column> sorted(row.size());
    set.sort_into(sorted.data());
    EXPECT_EQ(sorted, row);
    for (std::size_t i = 0; i < row.size(); ++i) {
      ASSERT_EQ(set.place_of(row[i]), static_cast<Index>(i));
    }
    set.clear();
    EXPECT_EQ(set.size(), 0);
  }
}

}  // namespace
}  // namespace switchyard
