// Matrices in coordinates: products whose rows are cut, beside rows without elements, on the host
// and on devices.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <switchyard/backends/reference.hpp>

#include "formats.hpp"
#include "opencl_fixture.hpp"

namespace switchyard {
namespace {

template <Element T>
Coo<T> coordinates(const Csr<T>& csr) {
  Csr<T> copy{
      csr.rows, csr.cols, csr.nnz, {}, copy_of(csr.columns.span()), copy_of(csr.values.span())};
  copy.offsets = copy_of(std::get<Array<std::int32_t>>(csr.offsets).span());
  return std::get<Coo<T>>(testing::in_format(Storage<T>(std::move(copy)), Format::Coo));
}

/// The matrix with row indices of 64 bits.
template <Element T>
Coo<T> widened(Coo<T> coo) {
  const auto narrow = std::get<Array<std::int32_t>>(coo.row_indices).span();
  coo.row_indices = Array<std::int64_t>(std::vector<std::int64_t>(narrow.begin(), narrow.end()));
  return coo;
}

/// Rows of these lengths, with `gap` empty rows before, between and after them.
template <Element T>
Csr<T> rows_with_gaps(const std::vector<Index>& lengths, Index gap, Index cols) {
  std::vector<Triplet<T>> triplets;
  Index row = gap;
  for (const Index length : lengths) {
    for (Index k = 0; k < length; ++k) {
      triplets.push_back({row, k * cols / length, T((row * 31 + k * 17) % 97 - 48) / T(16)});
    }
    row += 1 + gap;
  }
  return csr_from_triplets<T>(row, cols, triplets);
}

/// Rows that end at the places where the host's runs and the devices' tiles do, and next to them;
/// rows over many of these; short rows; long gaps.
template <Element T>
std::vector<Csr<T>> matrices_with_cut_rows() {
  std::vector<Csr<T>> list;
  for (const Index gap : {0, 1, 40, 9000}) {
    list.push_back(rows_with_gaps<T>({1, 895, 896, 897, 1, 3000, 5, 890, 1, 1}, gap, 4000));
    list.push_back(rows_with_gaps<T>({20'000, 1, 1, 30'000, 8191, 8192, 3}, gap, 30'000));
  }
  std::vector<Index> short_rows(30'000, 1);
  for (std::size_t i = 0; i < short_rows.size(); ++i) short_rows[i] = static_cast<Index>(i % 5);
  list.push_back(rows_with_gaps<T>(short_rows, 0, 1000));
  list.push_back(rows_with_gaps<T>({}, 20'000, 10));
  return list;
}

template <Element T>
std::vector<T> some_values(Index size) {
  std::vector<T> values(static_cast<std::size_t>(size));
  for (Index i = 0; i < size; ++i) values[static_cast<std::size_t>(i)] = T(i * 29 % 64 - 31) / T(8);
  return values;
}

template <class T>
class CooProducts : public opencl::testing::OnDevice {};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CooProducts, Elements);

TYPED_TEST(CooProducts, ThreadsDoNotChangeTheSums) {
  using T = TypeParam;
  for (const Csr<T>& csr : matrices_with_cut_rows<T>()) {
    for (const bool wide : {false, true}) {
      const Storage<T> matrix = wide ? widened(coordinates(csr)) : coordinates(csr);
      const Array<T> x(some_values<T>(csr.cols));
      const std::vector<T> before(static_cast<std::size_t>(csr.rows), T(3));
      const auto expected = reference_multiply<T>(matrix, T(2), x.span(), T(-1), before);
      std::vector<T> first;
      for (const int threads : {1, 2, 3, 16}) {
        const auto host = make_host_executor(threads);
        Array<T> y = copy_of(std::span<const T>(before));
        find_multiply<T>(Format::Coo, Backend::OpenMP, "runs")
            ->run({*host, matrix, T(2), x, T(-1), y});
        EXPECT_LE(worst_error<T>(expected, y.span()), 1) << csr.rows << " x " << csr.cols;
        if (first.empty()) first.assign(y.span().begin(), y.span().end());
        EXPECT_TRUE(std::ranges::equal(first, y.span())) << threads;
        const Storage<T> back =
            find_convert<T>(Format::Coo, Format::Csr, Backend::OpenMP)->run(*host, matrix);
        const auto& found = std::get<Csr<T>>(back);
        for (Index i = 0; i <= csr.rows; ++i) ASSERT_EQ(found.offset(i), csr.offset(i)) << i;
        EXPECT_TRUE(std::ranges::equal(found.columns.span(), csr.columns.span()));
        const Storage<T> again =
            find_convert<T>(Format::Csr, Format::Coo, Backend::OpenMP)->run(*host, back);
        EXPECT_NO_THROW(std::get<Coo<T>>(again).check());
        for (Index k = 0; k < csr.nnz; ++k) {
          ASSERT_EQ(offset_at(std::get<Coo<T>>(again).row_indices, k),
                    offset_at(std::get<Coo<T>>(matrix).row_indices, k));
        }
      }
    }
  }
}

TYPED_TEST(CooProducts, OnADeviceTilesShareRows) {
  using T = TypeParam;
  if (!this->template has<T>()) GTEST_SKIP() << "the device has no double precision";
  for (const Csr<T>& csr : matrices_with_cut_rows<T>()) {
    for (const bool wide : {false, true}) {
      const Storage<T> host = wide ? widened(coordinates(csr)) : coordinates(csr);
      const Storage<T> matrix = transferred(host, this->memory());
      const std::vector<T> x = some_values<T>(csr.cols);
      const std::vector<T> before(static_cast<std::size_t>(csr.rows), T(3));
      const Array<T> x_there = this->on_device(x);
      const auto* const tiles = find_multiply<T>(Format::Coo, Backend::OpenCL, "tiles");
      // Not read where beta is 0. The second call finds what the first left beside the matrix.
      const std::vector<T> unread(before.size(), std::numeric_limits<T>::quiet_NaN());
      for (const T beta : {T(-1), T(0), T(1)}) {
        const auto& y = beta == T(0) ? unread : before;
        const auto expected = reference_multiply<T>(host, T(2), x, beta, y);
        Array<T> y_there = this->on_device(y);
        tiles->run({this->device(), matrix, T(2), x_there, beta, y_there});
        this->device().finish();
        EXPECT_LE(worst_error<T>(expected, this->on_host(y_there)), 1) << csr.rows << " " << beta;
      }
      const auto run = [&](const Storage<T>& from, Format to) {
        return find_convert<T>(format_of(from), to, Backend::OpenCL)->run(this->device(), from);
      };
      const Storage<T> back = run(matrix, Format::Csr);
      const Storage<T> csr_here = transferred(back, plain_host_memory());
      const Storage<T> coo_here = transferred(run(back, Format::Coo), plain_host_memory());
      EXPECT_NO_THROW(std::get<Coo<T>>(coo_here).check());
      const auto& found = std::get<Csr<T>>(csr_here);
      for (Index i = 0; i <= csr.rows; ++i) ASSERT_EQ(found.offset(i), csr.offset(i)) << i;
      for (Index k = 0; k < csr.nnz; ++k) {
        ASSERT_EQ(offset_at(std::get<Coo<T>>(coo_here).row_indices, k),
                  offset_at(std::get<Coo<T>>(host).row_indices, k));
      }
      EXPECT_TRUE(std::ranges::equal(found.columns.span(), csr.columns.span()));
      EXPECT_TRUE(std::ranges::equal(found.values.span(), csr.values.span()));
    }
  }
}

TYPED_TEST(CooProducts, ConversionsKeepEveryBit) {
  using T = TypeParam;
  const T nan = -std::numeric_limits<T>::signaling_NaN();
  const std::vector<T> values{-T(0), T(0), nan, std::numeric_limits<T>::infinity(), T(1)};
  const Csr<T> csr =
      csr_from_arrays<T>(2, 130, std::vector<Index>{0, 4, 5}, {0, 63, 64, 129, 5}, values);
  const Coo<T> coo = coordinates(csr);
  ASSERT_EQ(coo.values.size(), std::ssize(values));
  EXPECT_EQ(std::memcmp(coo.values.data(), values.data(), values.size() * sizeof(T)), 0);
}

}  // namespace
}  // namespace switchyard
