// The host's innermost loops for many columns, in each of the instruction sets that this processor
// has.
#include "openmp/column_kernels.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <switchyard/backends/reference.hpp>

namespace switchyard {
namespace {

template <Element T>
class ColumnKernels : public ::testing::Test {
 protected:
  std::vector<openmp::ColumnKernels<T>> sets_{openmp::portable::column_kernels<T>()};
  std::mt19937 engine_{7};

  ColumnKernels() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      sets_.push_back(openmp::avx2::column_kernels<T>());
    }
#endif
    sets_.push_back(openmp::best_column_kernels<T>());
  }

  std::vector<T> random(Index size) {
    std::uniform_real_distribution<double> value(-1, 1);
    std::vector<T> values(static_cast<std::size_t>(size));
    for (T& v : values) v = static_cast<T>(value(engine_));
    return values;
  }

  /// Rows of 0 to 23 elements, and two of 39 and 40.
  Storage<T> sparse() {
    std::vector<Triplet<T>> elements;
    for (Index i = 0; i < rows; ++i) {
      const Index length = i == 9 ? cols : i == 33 ? cols - 1 : i % 24;
      const auto values = random(length);
      for (Index k = 0; k < length; ++k) {
        elements.push_back({i, (i * 3 + k) % cols, values[static_cast<std::size_t>(k)]});
      }
    }
    return csr_from_triplets<T>(rows, cols, elements);
  }

  static constexpr Index rows = 37;
  static constexpr Index cols = 40;
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ColumnKernels, Elements);

/// Around the widths of vectors, panels and pairs of panels.
constexpr std::initializer_list<Index> counts{1,  2,  3,  4,  5,  7,  8,  9,  15, 16, 17,  24,
                                              31, 32, 33, 47, 48, 49, 63, 64, 65, 80, 128, 129};

TYPED_TEST(ColumnKernels, SparseRows) {
  using T = TypeParam;
  const Storage<T> matrix = this->sparse();
  const auto& csr = std::get<Csr<T>>(matrix);
  const auto* const offsets = std::get<Array<std::int32_t>>(csr.offsets).data();
  for (const Index k : counts) {
    const auto x = this->random(csr.cols * k);
    const auto before = this->random(csr.rows * k);
    for (const T beta : {T(0), T(-1)}) {
      const auto expected = reference_multiply<T>(matrix, T(2), std::span<const T>(x), beta, before,
                                                  {Operand::Matrix, k});
      for (const auto& set : this->sets_) {
        for (const bool far : {false, true}) {
          std::vector<T> y = before;
          set.rows({.offsets = offsets,
                    .columns = csr.columns.data(),
                    .values = csr.values.data(),
                    .numbers = nullptr,
                    .count = k,
                    .x_stride = k,
                    .y_stride = k,
                    .x_is_far = far,
                    .alpha = T(2),
                    .x = x.data(),
                    .beta = beta,
                    .y = y.data()},
                   0, csr.rows);
          EXPECT_LE(worst_error<T>(expected, y), 1) << k;
        }
      }
    }
  }
}

TYPED_TEST(ColumnKernels, ScatteredRows) {
  using T = TypeParam;
  const Storage<T> matrix = this->sparse();
  const auto& csr = std::get<Csr<T>>(matrix);
  const auto* const offsets = std::get<Array<std::int32_t>>(csr.offsets).data();
  for (const Index k : counts) {
    const auto x = this->random(csr.rows * k);
    const auto expected = reference_multiply<T>(matrix, T(1), std::span<const T>(x), T(0), {},
                                                {Operand::Transpose, k});
    for (const auto& set : this->sets_) {
      std::vector<T> sums(static_cast<std::size_t>(csr.cols * k));
      set.scatter({offsets, csr.columns.data(), csr.values.data(), k, x.data(), sums.data()}, 0,
                  csr.rows);
      EXPECT_LE(worst_error<T>(expected, sums), 1) << k;
    }
  }
}

TYPED_TEST(ColumnKernels, DenseRowsAndColumns) {
  using T = TypeParam;
  for (const Index rows : {1, 2, 7, 8, 21}) {
    const Index cols = 30 - rows;
    const auto values = this->random(rows * cols);
    const Storage<T> matrix = Dense<T>{rows, cols, Array<T>(std::vector<T>(values))};
    for (const Index k : counts) {
      const auto x = this->random(std::max(rows, cols) * k);
      for (const Operand operand : {Operand::Matrix, Operand::Transpose}) {
        const Request request{operand, k};
        const auto of_x =
            std::span<const T>(x).first(static_cast<std::size_t>(x_rows(request, rows, cols) * k));
        const auto expected = reference_multiply<T>(matrix, T(1), of_x, T(0), {}, request);
        for (const auto& set : this->sets_) {
          std::vector<T> sums(expected.size());
          const openmp::DensePart<T> part{values.data(), cols, 0,        rows,       0,
                                          cols,          k,    x.data(), sums.data()};
          (operand == Operand::Matrix ? set.dense : set.dense_transposed)(part);
          EXPECT_LE(worst_error<T>(expected, sums), 1) << rows << " " << k;
        }
      }
    }
  }
}

// X does not fit into the second cache, or into the first: its rows are taken in blocks.
TYPED_TEST(ColumnKernels, LongDenseRows) {
  using T = TypeParam;
  constexpr Index rows = 9;
  constexpr Index cols = 6003;
  const auto values = this->random(rows * cols);
  const Storage<T> matrix = Dense<T>{rows, cols, Array<T>(std::vector<T>(values))};
  for (const Index k : {2, 3, 4, 5, 8, 32}) {
    const auto x = this->random(cols * k);
    const auto expected =
        reference_multiply<T>(matrix, T(1), std::span<const T>(x), T(0), {}, {Operand::Matrix, k});
    for (const auto& set : this->sets_) {
      // What is there before is not read.
      std::vector<T> sums(expected.size(), std::numeric_limits<T>::quiet_NaN());
      set.dense({values.data(), cols, 0, rows, 0, cols, k, x.data(), sums.data()});
      EXPECT_LE(worst_error<T>(expected, sums), 1) << k;
    }
  }
}

}  // namespace
}  // namespace switchyard
