// Packets made from CSR on the host: where they end, and that their bytes are those foreseen.
#include <gtest/gtest.h>

#include "formats.hpp"

namespace switchyard {
namespace {

/// Row i has `length` elements, `step` columns apart, and begins at column i * shift.
Storage<double> sloping_rows(Index rows, Index length, Index step, Index shift) {
  std::vector<Triplet<double>> triplets;
  for (Index i = 0; i < rows; ++i) {
    for (Index k = 0; k < length; ++k) triplets.push_back({i, i * shift + k * step, 1.0});
  }
  return csr_from_triplets<double>(rows, rows * shift + length * step + 1, triplets);
}
Packets<double> packets_of(const Storage<double>& csr) {
  return std::get<Packets<double>>(testing::in_format(csr, Format::Packet));
}

TEST(PacketsOfRows, TakeTheBytesThatAreForeseenOfSmallMatrices) {
  const std::vector<Storage<double>> matrices = [] {
    std::vector<Storage<double>> list;
    list.push_back(csr_from_triplets<double>(0, 5, {}));
    list.push_back(csr_from_triplets<double>(700, 5, {}));
    list.push_back(sloping_rows(1, 500, 3, 0));
    list.push_back(sloping_rows(60, 10, 7, 5));
    list.push_back(sloping_rows(500, 1, 1, 1000));
    return list;
  }();
  for (const Storage<double>& csr : matrices) {
    const Storage<double> packets = testing::in_format(csr, Format::Packet);
    EXPECT_NO_THROW(std::get<Packets<double>>(packets).check());
    for (const Storage<double>* matrix : {&csr, &packets}) {
      EXPECT_EQ(bytes_in(Format::Packet, structure_of(*matrix), sizeof(double)),
                static_cast<double>(bytes_of(packets)));
    }
  }
}

TEST(PacketsOfRows, EndWhereTheirPieceIsFull) {
  // Rows with the same columns: only the number of rows ends a packet.
  const auto equal = packets_of(sloping_rows(600, 100, 3, 0));
  ASSERT_EQ(equal.count(), 3);
  EXPECT_EQ(equal.packets[1].row, packet_rows);
  EXPECT_EQ(equal.pieces.size(), 300);
  // Rows with nothing in common: two of them fill a piece.
  const auto apart = packets_of(sloping_rows(7, packet_columns / 2, 1, 5000));
  ASSERT_EQ(apart.count(), 4);
  EXPECT_EQ(apart.packets[1].row, 2);
  EXPECT_EQ(apart.packets[3].row, 6);
  EXPECT_EQ(apart.wide.size(), 0);
  // As long as a piece, and longer.
  const auto full = packets_of(sloping_rows(3, packet_columns, 2, 1));
  EXPECT_EQ(full.count(), 3);
  EXPECT_EQ(full.packets[1].is_direct, 0);
  const auto direct = packets_of(sloping_rows(3, packet_columns + 1, 2, 1));
  EXPECT_EQ(direct.count(), 3);
  EXPECT_EQ(direct.packets[1].is_direct, 1);
  EXPECT_EQ(direct.wide.size(), direct.nnz);
}

}  // namespace
}  // namespace switchyard
