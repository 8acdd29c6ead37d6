// Counting distinct values: by their bits, exactly where they are few.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <switchyard/containers/distinct_values.hpp>
#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/generate.hpp>

namespace switchyard {
namespace {

TEST(DistinctValues, AreNumberedAsTheyAreMet) {
  DistinctValues values;
  EXPECT_EQ(values.code_of(7), 0);
  EXPECT_EQ(values.code_of(0), 1);
  EXPECT_EQ(values.code_of(7), 0);
  for (std::uint64_t i = 1; i < 255; ++i) {
    EXPECT_EQ(values.code_of(i << 40), static_cast<int>(i) + 1);
  }
  EXPECT_EQ(values.size(), 256);
  EXPECT_EQ(values.code_of(12345), DistinctValues::no_code);
  EXPECT_EQ(values.code_of(254ULL << 40), 255);
  EXPECT_EQ(values.size(), 256);
  EXPECT_EQ(values.values()[1], 0U);
}

template <Element T>
Index counted(const std::vector<T>& values) {
  std::vector<Triplet<T>> triplets;
  for (std::size_t k = 0; k < values.size(); ++k) {
    triplets.push_back({static_cast<Index>(k / 3), static_cast<Index>(k % 3), values[k]});
  }
  const auto rows = static_cast<Index>(values.size() / 3 + 1);
  return *structure_of(csr_from_triplets<T>(rows, 3, triplets)).distinct_values;
}

TEST(DistinctValues, ValuesOfOtherBitsAreOthers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(counted<double>({}), 0);
  EXPECT_EQ(counted<double>({nan, nan}), 1);
  EXPECT_EQ(counted<double>({0.0, -0.0, nan, -nan, 1, 1}), 5);
  EXPECT_EQ(counted<float>({0.0F, -0.0F, 1e-45F, 1}), 4);
}

TEST(DistinctValues, OfADenseMatrixAreThoseItStores) {
  const Dense<float> dense{2, 3, Array<float>(std::vector<float>{0, 5, -0.0F, 5, 5, 0})};
  EXPECT_EQ(structure_of(dense).distinct_values, 1);
  EXPECT_FALSE(even_structure<float>(100, 100, 0.1).distinct_values.has_value());
}

TEST(DistinctValues, AreCountedUpTo257) {
  for (const Index rows : {40, 3000, 60'000}) {
    for (const Index distinct : {1, 2, 200, 256, 257, 300, 65'536}) {
      // The others would need more elements to be found, or to be there, for certain.
      const Index most = rows == 40 ? 1 : rows == 3000 ? 200 : 65'536;
      if (distinct > most) continue;
      const auto csr = generate<double>(
          {.kind = MatrixKind::PowerLaw, .rows = rows, .distinct_values = distinct});
      const Structure structure = structure_of(csr);
      EXPECT_EQ(*structure.distinct_values, std::min(distinct, most_distinct_values)) << rows;
      EXPECT_EQ(obstacle_to(Format::CsrConst, structure).empty(), distinct == 1);
      EXPECT_EQ(obstacle_to(Format::Csr16Dict8, structure).empty(), distinct <= 256);
      EXPECT_EQ(obstacle_to(Format::Csr16, structure), "");
      EXPECT_EQ(std::isinf(bytes_in(Format::CsrDict8, structure, 8)), distinct > 256);
    }
  }
}

// One value in a thousand is another: a sample may miss it, a count does not.
TEST(DistinctValues, AllAreFoundWhereAllAreLookedAt) {
  auto csr = generate<float>({.rows = 3000, .distinct_values = 1});
  for (Index k = 500; k < csr.nnz; k += 1000) csr.values[k] = static_cast<float>(k);
  const Index others = (csr.nnz - 500 + 999) / 1000;
  EXPECT_EQ(count_distinct_values(rows_of_matrix(csr), csr.nnz, {.all = true}), 1 + others);
}

}  // namespace
}  // namespace switchyard
