// Bitmap matrices on the host: conversions keep every bit, and threads share rows and words.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <switchyard/backends/reference.hpp>
#include <switchyard/containers/generate.hpp>

#include "formats.hpp"
#include "without_caches.hpp"

namespace switchyard {
namespace {

template <class T>
class BitmapOnHost : public ::testing::Test {
 protected:
  Storage<T> converted(const Storage<T>& matrix, Format to) {
    return find_convert<T>(format_of(matrix), to, Backend::OpenMP)->run(*host_, matrix);
  }
  static void expect_same_bits(std::span<const T> found, std::span<const T> expected) {
    ASSERT_EQ(found.size(), expected.size());
    if (!found.empty()) {
      EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size_bytes()), 0);
    }
  }
  void expect_product(const Storage<T>& matrix, const std::string& what) {
    std::mt19937 engine(11);
    std::uniform_real_distribution<double> value(-1, 1);
    std::vector<T> elements(static_cast<std::size_t>(cols_of(matrix)));
    for (T& element : elements) element = static_cast<T>(value(engine));
    const Array<T> x(std::move(elements));
    const std::vector<T> before(static_cast<std::size_t>(rows_of(matrix)), T(3));
    const auto expected = reference_multiply<T>(matrix, T(2), x.span(), T(-1), before);
    for (const auto& operation : multiply_operations<T>()) {
      if (operation.backend != Backend::OpenMP || operation.format != Format::Bitmap) continue;
      if (operation.operand != Operand::Matrix) continue;
      Array<T> y = copy_of(std::span<const T>(before));
      operation.run({*host_, matrix, T(2), x, T(-1), y});
      EXPECT_LE(worst_error<T>(expected, y.span()), 1) << what << " " << operation.variant;
    }
  }
  std::shared_ptr<Executor> host_ = make_host_executor();
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BitmapOnHost, Elements);

TYPED_TEST(BitmapOnHost, StoredZerosAndNanPayloadsAreKept) {
  using T = TypeParam;
  const T nan = -std::numeric_limits<T>::signaling_NaN();
  const std::vector<T> values{-T(0), T(0), nan, std::numeric_limits<T>::infinity(), T(1)};
  const Storage<T> csr =
      csr_from_arrays<T>(2, 130, std::vector<Index>{0, 4, 5}, {0, 63, 64, 129, 5}, values);
  const Storage<T> bitmap = this->converted(csr, Format::Bitmap);
  std::get<Bitmap<T>>(bitmap).check();
  this->expect_same_bits(std::get<Bitmap<T>>(bitmap).values.span(), values);
  const Storage<T> back = this->converted(bitmap, Format::Csr);
  this->expect_same_bits(std::get<Csr<T>>(back).values.span(), values);
  // In the dense format no zero is stored: -0 stays -0, and leaves no bit on the way back.
  const Storage<T> dense = this->converted(bitmap, Format::Dense);
  const Storage<T> by_csr = this->converted(csr, Format::Dense);
  this->expect_same_bits(std::get<Dense<T>>(dense).values.span(),
                         std::get<Dense<T>>(by_csr).values.span());
  const Storage<T> again = this->converted(dense, Format::Bitmap);
  EXPECT_EQ(std::get<Bitmap<T>>(again).nnz, 3);
  this->expect_same_bits(std::get<Bitmap<T>>(again).values.span(), std::span(values).subspan(2));
}

TYPED_TEST(BitmapOnHost, ConversionsBetweenAllFormatsAgree) {
  using T = TypeParam;
  testing::WithoutCaches without_caches(*this->host_);
  // Shapes with many blocks, rows of several blocks, and rows within a word; rows that a sample
  // does not meet.
  for (const auto& [rows, cols] : {std::pair<Index, Index>{1021, 503},
                                   {300, 4096},
                                   {3, 400'000},
                                   {40'000, 3},
                                   {5, 0},
                                   {0, 5},
                                   {64, 64}}) {
    for (const double density : {0.0, 0.3, 1.0}) {
      std::vector<Triplet<T>> triplets;
      for (Index i = 0; i < rows; ++i) {
        if (i % 4 == 3) continue;
        for (Index j = 0; j < cols; ++j) {
          if (static_cast<double>((i * 7 + j * 13) % 11) < 11 * density) {
            triplets.push_back({i, j, T((i + j) % 1000 + 1)});
          }
        }
      }
      const Storage<T> csr = csr_from_triplets<T>(rows, cols, triplets);
      const Storage<T> dense = this->converted(csr, Format::Dense);
      for (Executor* const executor :
           {this->host_.get(), static_cast<Executor*>(&without_caches)}) {
        const auto run = [&](const Storage<T>& from, Format to) {
          return find_convert<T>(format_of(from), to, Backend::OpenMP)->run(*executor, from);
        };
        for (const Storage<T>* const from : {&csr, &dense}) {
          const Storage<T> there = run(*from, Format::Bitmap);
          const auto& bitmap = std::get<Bitmap<T>>(there);
          ASSERT_NO_THROW(bitmap.check());
          const Storage<T> as_csr = run(there, Format::Csr);
          const Storage<T> as_dense = run(there, Format::Dense);
          const auto& expected = std::get<Csr<T>>(csr);
          const auto& found = std::get<Csr<T>>(as_csr);
          this->expect_same_bits(bitmap.values.span(), expected.values.span());
          ASSERT_TRUE(std::ranges::equal(found.columns.span(), expected.columns.span()));
          for (Index i = 0; i <= rows; ++i) {
            ASSERT_EQ(bitmap.offset(i), expected.offset(i));
            ASSERT_EQ(found.offset(i), expected.offset(i));
          }
          this->expect_same_bits(std::get<Dense<T>>(as_dense).values.span(),
                                 std::get<Dense<T>>(dense).values.span());
        }
      }
    }
  }
}

TYPED_TEST(BitmapOnHost, ConversionsKeepToTheBudget) {
  using T = TypeParam;
  const Storage<T> dense = Dense<T>{1000, 1000, Array<T>(std::vector<T>(1'000'000, T(1)))};
  const auto needed = std::size_t{1'000'000} * sizeof(T) + 1000 * 16 * 8 + 1001 * 4;
  this->host_->memory()->set_budget(needed);
  EXPECT_EQ(std::get<Bitmap<T>>(this->converted(dense, Format::Bitmap)).nnz, 1'000'000);
  this->host_->memory()->set_budget(needed - 1);
  EXPECT_THROW(static_cast<void>(this->converted(dense, Format::Bitmap)), Error);
  EXPECT_EQ(this->host_->memory()->used(), 0U);
  // The bits alone are beyond the budget.
  const Storage<T> sparse = csr_from_triplets<T>(100'000, 1000, std::vector<Triplet<T>>{{7, 7, 1}});
  EXPECT_THROW(static_cast<void>(this->converted(sparse, Format::Bitmap)), Error);
  EXPECT_EQ(this->host_->memory()->used(), 0U);
}

TYPED_TEST(BitmapOnHost, RowsAndWordsAreSharedAmongThreads) {
  using T = TypeParam;
  for (const int threads : {1, 2, 3, 5, 16}) {
    this->host_ = make_host_executor(threads);
    for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 300'001},
                                     {2, 150'000},
                                     {7, 40'003},
                                     {33, 7000},
                                     {900, 900},
                                     {3000, 65}}) {
      // Half of the rows hold nearly everything.
      std::vector<Triplet<T>> triplets;
      for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < cols; j += i < (rows + 1) / 2 ? 1 + j % 2 : 97) {
          triplets.push_back({i, j, T((i * 31 + j * 17) % 97 - 48) / T(16)});
        }
      }
      const Storage<T> csr = csr_from_triplets<T>(rows, cols, triplets);
      this->expect_product(this->converted(csr, Format::Bitmap),
                           std::to_string(rows) + " x " + std::to_string(cols) + ", " +
                               std::to_string(threads) + " threads");
    }
  }
}

// Registers are filled up with the values that follow: NaN and infinities stay in their rows.
TYPED_TEST(BitmapOnHost, NonfiniteValuesStayInTheirRows) {
  using T = TypeParam;
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < 50; ++i) {
    for (Index j = i % 3; j < 200; j += 3) {
      const bool is_special = i % 5 == 2 && j % 2 == 0;
      triplets.push_back({i, j, is_special ? std::numeric_limits<T>::infinity() : T(j % 7)});
    }
  }
  this->expect_product(this->converted(csr_from_triplets<T>(50, 200, triplets), Format::Bitmap),
                       "infinite");
}

}  // namespace
}  // namespace switchyard
