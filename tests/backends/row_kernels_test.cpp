// The host's innermost loops, in each of the instruction sets that this processor has.
#include "openmp/row_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <switchyard/backends/reference.hpp>
#include <switchyard/containers/generate.hpp>

namespace switchyard {
namespace {

template <Element T>
class RowKernels : public testing::Test {
 protected:
  std::vector<openmp::RowKernels<T>> sets_{openmp::portable::row_kernels<T>()};
  std::mt19937 engine_{7};

  RowKernels() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      sets_.push_back(openmp::avx2::row_kernels<T>());
    }
#endif
    sets_.push_back(openmp::best_row_kernels<T>());
  }

  std::vector<T> random(Index size) {
    std::uniform_real_distribution<double> value(-1, 1);
    std::vector<T> values(static_cast<std::size_t>(size));
    for (T& v : values) v = static_cast<T>(value(engine_));
    return values;
  }

  /// `multiply(beta, y)` gives y = 2 A x + beta y, and with beta = 0 does not read y.
  template <class Multiply>
  void expect_product(const Storage<T>& matrix, const std::vector<T>& x, Index rows,
                      const Multiply& multiply) {
    const std::vector<T> before = random(rows);
    std::vector<T> y = before;
    multiply(T(-1), y.data());
    EXPECT_LE(worst_error<T>(reference_multiply<T>(matrix, T(2), x, T(-1), before), y), 1);
    y.assign(y.size(), std::numeric_limits<T>::quiet_NaN());
    multiply(T(0), y.data());
    EXPECT_LE(worst_error<T>(reference_multiply<T>(matrix, T(2), x, T(0), before), y), 1);
  }
};
using Elements = testing::Types<float, double>;
TYPED_TEST_SUITE(RowKernels, Elements);

/// Around the widths of vectors, and the stretches that loops are unrolled to.
constexpr std::initializer_list<Index> lengths{0,  1,  2,  7,  8,  9,   15,  16,  17,  31,
                                               32, 33, 63, 64, 65, 127, 128, 129, 1000};

TYPED_TEST(RowKernels, DenseRows) {
  using T = TypeParam;
  for (const Index cols : lengths) {
    for (const Index rows : {1, 2, 3, 4, 5, 9}) {
      const std::vector<T> values = this->random(rows * cols);
      const Storage<T> matrix = Dense<T>{rows, cols, Array<T>(std::vector<T>(values))};
      const std::vector<T> x = this->random(cols);
      for (const auto& set : this->sets_) {
        this->expect_product(matrix, x, rows, [&](T beta, T* y) {
          set.dense({values.data(), rows, cols, T(2), x.data(), beta, y}, 0, rows);
        });
      }
    }
  }
}

TYPED_TEST(RowKernels, SumsOfDenseRows) {
  using T = TypeParam;
  for (const Index size : lengths) {
    const Storage<T> row = Dense<T>{1, size, Array<T>(this->random(size))};
    const std::vector<T> x = this->random(size);
    const auto expected = reference_multiply<T>(row, T(1), x, T(0), {});
    for (const auto& set : this->sets_) {
      T sum = 0;
      set.dense_sums(std::get<Dense<T>>(row).values.data(), 1, size, x.data(), size, &sum);
      EXPECT_LE(worst_error<T>(expected, std::span<const T>(&sum, 1)), 1) << size;
    }
  }
}

TYPED_TEST(RowKernels, SparseRows) {
  using T = TypeParam;
  for (const auto kind : {MatrixKind::PowerLaw, MatrixKind::Poisson2d, MatrixKind::Uniform,
                          MatrixKind::Banded, MatrixKind::Pruned}) {
    const Storage<T> matrix = generate<T>({.kind = kind, .rows = 400});
    const auto& csr = std::get<Csr<T>>(matrix);
    const auto& offsets = std::get<Array<std::int32_t>>(csr.offsets);
    const std::vector<std::int64_t> wide(offsets.span().begin(), offsets.span().end());
    const std::vector<T> x = this->random(csr.cols);
    const Index rows = csr.rows;
    const T* const values = csr.values.data();
    const Column* const columns = csr.columns.data();
    for (const auto& set : this->sets_) {
      this->expect_product(matrix, x, rows, [&](T beta, T* y) {
        set.csr({offsets.data(), columns, values, csr.nnz, T(2), x.data(), beta, y}, 0, rows);
      });
      this->expect_product(matrix, x, rows, [&](T beta, T* y) {
        set.csr_wide({wide.data(), columns, values, csr.nnz, T(2), x.data(), beta, y}, 0, rows);
      });
    }
  }
}

TYPED_TEST(RowKernels, SumsOfSparseRows) {
  using T = TypeParam;
  for (const Index count : lengths) {
    std::vector<Column> columns;
    for (Index k = 0; k < count; ++k) columns.push_back(static_cast<Column>(3 * k + 1));
    const std::vector<T> values = this->random(count);
    const std::vector<T> x = this->random(3 * count + 1);
    std::vector<Index> offsets{0, count};
    const Storage<T> row = csr_from_arrays<T>(1, 3 * count + 1, offsets, columns, values);
    const auto expected = reference_multiply<T>(row, T(1), x, T(0), {});
    for (const auto& set : this->sets_) {
      const T sum = set.csr_sum(values.data(), columns.data(), x.data(), count);
      EXPECT_LE(worst_error<T>(expected, std::span<const T>(&sum, 1)), 1) << count;
    }
  }
}

TYPED_TEST(RowKernels, NonzerosAreCountedAndPacked) {
  using T = TypeParam;
  for (const Index count : lengths) {
    std::vector<T> elements = this->random(count);
    for (Index i = 0; i < count; ++i) {
      if (i % 3 == 1) elements[static_cast<std::size_t>(i)] = i % 2 == 0 ? T(0) : -T(0);
    }
    std::vector<T> values;
    std::vector<Column> columns;
    for (Index i = 0; i < count; ++i) {
      const T element = elements[static_cast<std::size_t>(i)];
      if (element == 0) continue;
      values.push_back(element);
      columns.push_back(static_cast<Column>(100 + i));
    }
    for (const auto& set : this->sets_) {
      EXPECT_EQ(set.count_nonzeros(elements.data(), count), std::ssize(values));
      const auto room = static_cast<std::size_t>(count + openmp::compress_slack);
      std::vector<T> packed(room);
      std::vector<Column> places(room);
      const Index found = set.compress(elements.data(), count, 100, packed.data(), places.data());
      ASSERT_EQ(found, std::ssize(values)) << count;
      EXPECT_TRUE(std::equal(values.begin(), values.end(), packed.begin())) << count;
      EXPECT_TRUE(std::equal(columns.begin(), columns.end(), places.begin())) << count;
    }
  }
}

TYPED_TEST(RowKernels, StreamsWriteWhatTheyShouldAndNoMore) {
  using T = TypeParam;
  constexpr std::size_t size = 600;
  const std::vector<T> from = this->random(size);
  for (const auto& set : this->sets_) {
    for (const std::size_t begin : {0U, 1U, 3U, 8U, 15U}) {
      for (const Index count : lengths) {
        if (count > 500) continue;
        std::vector<T> to(size, T(9));
        set.stream(to.data() + begin, from.data() + 5, count * Index{sizeof(T)});
        set.fence();
        std::vector<T> expected(size, T(9));
        std::copy_n(from.begin() + 5, count, expected.begin() + static_cast<Index>(begin));
        EXPECT_EQ(to, expected) << begin << ", " << count;
      }
    }
  }
}

}  // namespace
}  // namespace switchyard
