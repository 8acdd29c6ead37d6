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
class RowKernels : public ::testing::Test {
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
using Elements = ::testing::Types<float, double>;
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

/// Two bitmap rows of a share of `cols` columns, as a matrix whose values end with the last row.
template <Element T>
Bitmap<T> two_rows(Index cols, double share, std::mt19937& engine) {
  std::bernoulli_distribution is_stored(share);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<T> values;
  Bitmap<T> rows{2, cols, 0, {}, {}, {}};
  rows.masks = Array<std::uint64_t>(2 * rows.words_of_row());
  std::ranges::fill(rows.masks.span(), 0U);
  std::vector<std::int32_t> offsets{0};
  for (Index i = 0; i < 2; ++i) {
    for (Index j = 0; j < cols; ++j) {
      if (!is_stored(engine)) continue;
      rows.masks[i * rows.words_of_row() + j / 64] |= std::uint64_t{1} << (j % 64);
      values.push_back(static_cast<T>(value(engine)));
    }
    offsets.push_back(static_cast<std::int32_t>(values.size()));
  }
  rows.nnz = std::ssize(values);
  rows.offsets = Array<std::int32_t>(std::move(offsets));
  rows.values = Array<T>(std::move(values));
  return rows;
}

// What is not stored is not multiplied: neither an infinite x beside it, nor the values that
// follow, with which registers are filled up.
TYPED_TEST(RowKernels, SumsOfBitmapRows) {
  using T = TypeParam;
  for (const Index cols : lengths) {
    for (const double share : {0.0, 0.05, 0.5, 1.0}) {
      const Storage<T> matrix = two_rows<T>(cols, share, this->engine_);
      const auto& rows = std::get<Bitmap<T>>(matrix);
      const std::uint64_t* const masks = rows.masks.data();
      std::vector<T> x = this->random(cols);
      for (Index j = 0; j < cols; ++j) {
        const auto is_stored = [&](Index i) {
          return (masks[i * rows.words_of_row() + j / 64] >> (j % 64) & 1) != 0;
        };
        if (!is_stored(0) && !is_stored(1)) {
          x[static_cast<std::size_t>(j)] = std::numeric_limits<T>::infinity();
        }
      }
      std::vector<T> followed(rows.values.span().begin(), rows.values.span().end());
      followed.resize(followed.size() + openmp::values_ahead, std::numeric_limits<T>::infinity());
      const auto expected = reference_multiply<T>(matrix, T(1), x, T(0), {});
      for (const auto& set : this->sets_) {
        for (const auto& [follow, expected_share] :
             {std::pair{false, 0.1}, {true, 0.3}, {false, 0.6}, {true, 1.0}}) {
          const T* const values = follow ? followed.data() : rows.values.data();
          const openmp::BitmapRows<T> both{{masks, masks + rows.words_of_row()},
                                           {values, values + rows.offset(1)},
                                           x.data(),
                                           cols,
                                           follow,
                                           expected_share,
                                           0,
                                           0};
          std::vector<T> sums(2);
          set.bitmap_sums(both, 2, sums.data());
          EXPECT_LE(worst_error<T>(expected, sums), 1) << cols << " " << share << " " << follow;
          openmp::BitmapRows<T> second = both;
          second.masks[0] = both.masks[1];
          second.values[0] = both.values[1];
          T alone = 0;
          set.bitmap_sums(second, 1, &alone);
          EXPECT_EQ(alone, sums[1]) << cols << " " << share << " " << follow;
        }
      }
    }
  }
}

TYPED_TEST(RowKernels, BitsOfNonzerosAndBack) {
  using T = TypeParam;
  for (const Index count : lengths) {
    std::vector<T> elements = this->random(count);
    std::vector<T> values;
    std::vector<Column> columns;
    for (Index i = 0; i < count; ++i) {
      T& element = elements[static_cast<std::size_t>(i)];
      if (i % 3 == 1) element = i % 2 == 0 ? T(0) : -T(0);
      if (i % 7 == 0) element = std::numeric_limits<T>::quiet_NaN();
      if (element == 0) continue;
      values.push_back(element);
      columns.push_back(static_cast<Column>(100 + i));
    }
    const Index words = (count + 63) / 64;
    for (const auto& set : this->sets_) {
      std::vector<std::uint64_t> masks(static_cast<std::size_t>(words), 7);
      EXPECT_EQ(set.nonzero_masks(elements.data(), count, masks.data()), std::ssize(values));
      EXPECT_EQ(set.count_bits(masks.data(), words), std::ssize(values));
      std::vector<Column> found(values.size() + openmp::compress_slack);
      ASSERT_EQ(set.mask_columns(masks.data(), words, 100, found.data()), std::ssize(values));
      EXPECT_TRUE(std::equal(columns.begin(), columns.end(), found.begin())) << count;
      std::vector<T> spread(static_cast<std::size_t>(64 * words), T(9));
      ASSERT_EQ(set.expand(masks.data(), words, values.data(), spread.data()), std::ssize(values));
      for (std::size_t i = 0, k = 0; i < spread.size(); ++i) {
        const bool is_stored = (masks[i / 64] >> (i % 64) & 1) != 0;
        const T expected = is_stored ? values[k++] : T(0);
        ASSERT_EQ(std::memcmp(&spread[i], &expected, sizeof expected), 0) << count << " " << i;
      }
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
