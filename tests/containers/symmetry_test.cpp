// Which matrices are their own transposes.
#include <gtest/gtest.h>

#include <limits>
#include <switchyard/containers/symmetry.hpp>
#include <vector>

namespace switchyard {
namespace {

Storage<double> matrix_of(Index rows, Index cols, const std::vector<Triplet<double>>& elements) {
  return csr_from_triplets<double>(rows, cols, elements);
}

TEST(Symmetry, IsThatOfPatternAndValues) {
  EXPECT_EQ(is_symmetric(matrix_of(3, 3, {{0, 0, 1}, {0, 2, 5}, {2, 0, 5}})), true);
  EXPECT_EQ(is_symmetric(matrix_of(3, 3, {{0, 2, 5}, {2, 0, 6}})), false);
  EXPECT_EQ(is_symmetric(matrix_of(3, 3, {{0, 2, 5}})), false);
  EXPECT_EQ(is_symmetric(matrix_of(3, 3, {{2, 0, 5}})), false);
  EXPECT_EQ(is_symmetric(matrix_of(3, 4, {})), false);
  EXPECT_EQ(is_symmetric(matrix_of(0, 0, {})), true);
}

TEST(Symmetry, NaNEqualsNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(is_symmetric(matrix_of(2, 2, {{0, 1, nan}, {1, 0, nan}})), false);
}

TEST(Symmetry, OfLargeMatricesDependsOnTheirLastElement) {
  constexpr Index size = 50'000;
  std::vector<Triplet<double>> elements;
  for (Index i = 0; i + 1 < size; ++i) {
    const auto value = static_cast<double>(i);
    elements.push_back({i, i + 1, value});
    elements.push_back({i + 1, i, value});
  }
  EXPECT_EQ(is_symmetric(matrix_of(size, size, elements)), true);
  elements.back().value += 1;
  EXPECT_EQ(is_symmetric(matrix_of(size, size, elements)), false);
}

TEST(Symmetry, IsFoundInDenseMatrices) {
  for (const float changed : {1.0F, 7.0F}) {
    auto dense = Dense<float>::sized(3, 3);
    for (Index i = 0; i < 9; ++i) dense.values[i] = static_cast<float>(i / 3 + i % 3);
    dense.values[1] = changed;
    EXPECT_EQ(is_symmetric(Storage<float>(std::move(dense))), changed == 1);
  }
}

TEST(Symmetry, IsNotLookedForInOtherFormats) {
  EXPECT_EQ(is_symmetric(Storage<float>(Coo<float>{})), std::nullopt);
}

}  // namespace
}  // namespace switchyard
