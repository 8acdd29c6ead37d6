// Multivectors: their order, their columns, and sizes that cannot be.
#include <gtest/gtest.h>

#include <limits>
#include <switchyard/containers/multi_vector.hpp>

namespace switchyard {
namespace {

std::vector<float> counted(Index count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return values;
}

TEST(MultiVector, LiesByRows) {
  const MultiVector<float> by_rows(3, 2, counted(6));
  EXPECT_EQ(by_rows.rows(), 3);
  EXPECT_EQ(by_rows.columns(), 2);
  EXPECT_EQ(by_rows(2, 1), 5);
  EXPECT_EQ(by_rows.column(1).read()[2], 5);
}

TEST(MultiVector, PacksAndUnpacksColumns) {
  for (const Index rows : {1, 3, 64, 200}) {
    const auto by_columns = counted(rows * 5);
    const MultiVector<float> packed(rows, 5, by_columns, Order::ColumnMajor);
    EXPECT_EQ(packed(rows - 1, 4), by_columns.back());
    EXPECT_EQ(packed(0, 1), by_columns[static_cast<std::size_t>(rows)]);
    EXPECT_EQ(packed.values(Order::ColumnMajor), by_columns);
    EXPECT_EQ(
        MultiVector<float>(rows, 5, packed.values(Order::RowMajor)).values(Order::ColumnMajor),
        by_columns);
  }
}

TEST(MultiVector, ColumnsAreChangedAlone) {
  MultiVector<float> vectors(4, 3, 7.0F);
  const std::vector<float> column{1, 2, 3, 4};
  vectors.set_column(1, column);
  for (Index i = 0; i < 4; ++i) {
    EXPECT_EQ(vectors(i, 0), 7);
    EXPECT_EQ(vectors(i, 1), static_cast<float>(i + 1));
    EXPECT_EQ(vectors(i, 2), 7);
  }
  EXPECT_THROW(vectors.set_column(3, column), Error);
  EXPECT_THROW(vectors.set_column(-1, column), Error);
  EXPECT_THROW(vectors.set_column(0, std::vector<float>(3)), Error);
  EXPECT_THROW(static_cast<void>(vectors.column(3)), Error);
}

TEST(MultiVector, RefusesSizesThatCannotBe) {
  constexpr Index most = std::numeric_limits<Index>::max();
  EXPECT_THROW(MultiVector<float>(-1, 2), Error);
  EXPECT_THROW(MultiVector<float>(2, -1), Error);
  EXPECT_THROW(MultiVector<float>(most, 3), Error);
  EXPECT_THROW(MultiVector<float>(2, 2, counted(5)), Error);
  EXPECT_EQ(MultiVector<float>(0, 3).read().size(), 0U);
  EXPECT_EQ(MultiVector<float>(3, 0).read().size(), 0U);
}

}  // namespace
}  // namespace switchyard
