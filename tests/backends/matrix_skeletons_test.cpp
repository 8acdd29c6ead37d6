// Skeletons that know the places of a matrix's elements, on every backend, against plain loops.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include "matrix_skeletons_fixture.hpp"

namespace switchyard::opencl::testing {
namespace {

TYPED_TEST_SUITE(MatrixSkeletonKernels, Elements);

TYPED_TEST(MatrixSkeletonKernels, FoldAsManyRowsAsAGroupHas) {
  using T = TypeParam;
  for (const Index rows : {0, 1, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1025}) {
    for (const bool wide : {false, true}) {
      std::vector<Index> lengths(static_cast<std::size_t>(rows));
      for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = static_cast<Index>(i % 5);
      this->expect_rows(with_zeros<T>(lengths, 40, wide));
    }
  }
}

/// Rows that their lanes fold, that teams fold and that whole groups fold, side by side.
TYPED_TEST(MatrixSkeletonKernels, FoldRowsOfEveryLength) {
  using T = TypeParam;
  std::vector<Index> lengths(6000, 2);
  for (const Index border : {1, 4, 32, 64, 128, 256, 512, 1024, 2048}) {
    for (const Index more : {-1, 0, 1}) {
      lengths[static_cast<std::size_t>(3 * border / 2 + more)] = border + more;
      lengths[static_cast<std::size_t>(5990 - border / 128 + more)] = border + more;
    }
  }
  lengths[17] = lengths[5999] = 5000;
  this->expect_rows(with_zeros<T>(lengths, 5000, false));
  this->expect_rows(with_zeros<T>({5000, 0, 4999, 1}, 5000, true));
}

TYPED_TEST(MatrixSkeletonKernels, FoldDenseRows) {
  using T = TypeParam;
  const auto kept = [](Index i, Index j) { return i == 1 || (i + j) % 3 != 0; };
  for (const Index cols : {0, 1, 31, 32, 33, 255, 256, 257, 1030}) {
    for (const Index rows : {1, 7, 8, 9, 65}) {
      this->expect_rows(dense_where<T>(rows, cols, kept));
    }
  }
  this->expect_rows(dense_where<T>(2049, 3, kept));
}

/// As many elements as a group takes, and twice, with empty rows everywhere.
TYPED_TEST(MatrixSkeletonKernels, FindTheRowOfEachElement) {
  using T = TypeParam;
  for (const Index border : {1, 128, 256, 512, 1024, 4096}) {
    for (const Index elements : {border - 1, border, border + 1}) {
      for (const bool wide : {false, true}) {
        this->expect_places(with_zeros<T>({elements}, 5000, wide));
        this->expect_places(
            with_zeros<T>({0, 0, elements / 3, 0, 1, 0, 0, elements, 0}, 5000, wide));
      }
      this->expect_places(
          with_zeros<T>(std::vector<Index>(static_cast<std::size_t>(elements), 1), 9, false));
    }
  }
  std::vector<Index> lengths(20'000, 0);
  for (std::size_t i = 0; i < lengths.size(); i += 3) lengths[i] = static_cast<Index>(i % 200);
  this->expect_places(with_zeros<T>(lengths, 300, false));
}

/// A matrix with elements here and there, empty rows, and a full row with values of all kinds.
template <Element T>
Csr<T> scattered(Index rows, Index cols, Index step, unsigned seed) {
  std::vector<Triplet<T>> elements;
  const auto values = random_values<T>(rows * cols, seed);
  const std::array special{std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN(),
                           T(-0.0), T(0), T(-1)};
  for (Index k = 0; k < rows * cols; ++k) {
    const Index row = k / cols;
    const bool is_there = row % 5 != 2 && (k + Index{seed}) % step == 0;
    if (row == 3) {
      elements.push_back({row, k % cols, special[static_cast<std::size_t>(k + Index{seed}) % 5]});
    } else if (is_there) {
      elements.push_back({row, k % cols, values[static_cast<std::size_t>(k)]});
    }
  }
  return csr_from_triplets<T>(rows, cols, elements);
}

TYPED_TEST(MatrixSkeletonKernels, MergeMatricesOfAllPatterns) {
  using T = TypeParam;
  for (const auto& [rows, cols] :
       {std::pair{0, 7}, std::pair{7, 0}, std::pair{1, 1}, std::pair{5, 3000}, std::pair{63, 40},
        std::pair{64, 41}, std::pair{65, 3}, std::pair{700, 90}}) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
    this->expect_merged(scattered<T>(rows, cols, 3, 2), scattered<T>(rows, cols, 7, 3),
                        scattered<T>(rows, cols, 2, 4));
    this->expect_merged(scattered<T>(rows, cols, 50, 2), csr_from_triplets<T>(rows, cols, {}),
                        scattered<T>(rows, cols, 1, 3));
  }
  const auto wide = [](Index step, unsigned seed) {
    return std::get<Csr<T>>(switchyard::testing::wide_offsets(scattered<T>(70, 80, step, seed)));
  };
  const Csr<T> a = scattered<T>(70, 80, 3, 2);
  this->expect_merged(wide(3, 2), wide(4, 3), wide(9, 5));
  // Equal and opposite: what becomes zero is not stored.
  this->expect_merged(a, a, a);
}

// Also in the last work-group, which is not full: items of a device walk along a row together from
// 1024 elements of all operands on.
TYPED_TEST(MatrixSkeletonKernels, MergeLongRowsAmongShortOnes) {
  using T = TypeParam;
  std::vector<Triplet<T>> arrows;
  for (Index j = 0; j < 9000; ++j) {
    arrows.push_back({70, j, static_cast<T>(j % 5)});
    if (j % 8 == 3) arrows.push_back({129, j, T(1)});
    if (j < 1021) arrows.push_back({3, 8 * j, T(1)});
    if (j < 1022) arrows.push_back({4, 8 * j + 1, T(1)});
    if (j < 130) arrows.push_back({j, j, T(2)});
  }
  const std::vector<Triplet<T>> ends{{70, 8999, T(3)}, {129, 0, T(4)}, {3, 9, T(5)}, {4, 8, T(5)}};
  const auto arrow = csr_from_triplets<T>(130, 9000, arrows);
  const auto few = csr_from_triplets<T>(130, 9000, ends);
  const auto step = scattered<T>(130, 9000, 900, 3);
  const auto of_both = [&](Index row) {
    return arrow.offset(row + 1) - arrow.offset(row) + few.offset(row + 1) - few.offset(row);
  };
  ASSERT_EQ(of_both(3), 1023);
  ASSERT_EQ(of_both(4), 1024);
  this->expect_merged(few, arrow, csr_from_triplets<T>(130, 9000, {}));
  this->expect_merged(arrow, few, step);
  const auto wide = [&](const Csr<T>& csr) {
    return std::get<Csr<T>>(switchyard::testing::wide_offsets(this->copy_of_csr(csr)));
  };
  this->expect_merged(wide(arrow), wide(few), wide(step));
}

TYPED_TEST(MatrixSkeletonKernels, ChangeElementsWithVectorsBesideThem) {
  using T = TypeParam;
  for (const auto& [rows, cols] : {std::pair{0, 7}, std::pair{7, 0}, std::pair{1, 1},
                                   std::pair{2, 5000}, std::pair{130, 40}, std::pair{3000, 9}}) {
    Csr<T> csr = scattered<T>(rows, cols, 3, 2);
    if (csr.nnz > 2) csr.values[2] = T(0);
    this->expect_beside(Storage<T>(this->copy_of_csr(csr)));
    this->expect_beside(Storage<T>(Csc<T>{cols, rows, csr.nnz, this->copy_of_csr(csr)}));
    this->expect_beside(
        dense_where<T>(rows, cols, [](Index i, Index j) { return (i + j) % 3 != 0; }));
  }
}

TYPED_TEST(MatrixSkeletonKernels, TransposeByCopying) {
  using T = TypeParam;
  for (const auto& [rows, cols] : {std::pair{0, 7}, std::pair{7, 0}, std::pair{1, 1},
                                   std::pair{31, 33}, std::pair{64, 32}, std::pair{200, 70}}) {
    const Csr<T> csr = scattered<T>(rows, cols, 3, 2);
    this->expect_transposed(Storage<T>(this->copy_of_csr(csr)));
    this->expect_transposed(Storage<T>(Csc<T>{cols, rows, csr.nnz, this->copy_of_csr(csr)}));
    this->expect_transposed(
        dense_where<T>(rows, cols, [](Index i, Index j) { return (i + j) % 3 != 0; }));
  }
}

TYPED_TEST(MatrixSkeletonKernels, KnowThePlacesOfColumnsToo) {
  using T = TypeParam;
  const Csr<T> csr = scattered<T>(300, 40, 3, 2);
  const Storage<T> host(Csc<T>{csr.cols, csr.rows, csr.nnz, this->copy_of_csr(csr)});
  std::vector<T> mapped;
  for (Index j = 0; j < csr.rows; ++j) {
    csr.row(j, [&](Column i, T a) { mapped.push_back(shifted(Index{i}, j, a)); });
  }
  for (const auto& executor : this->executors_) {
    Storage<T> storage = transferred(host, executor->memory());
    matrix_skeletons<T>(executor->backend())
        .map_places(*executor, this->places_.function_for(*executor), storage);
    expect_equal(fetched(values_of(storage)), mapped);
  }
}

}  // namespace
}  // namespace switchyard::opencl::testing
