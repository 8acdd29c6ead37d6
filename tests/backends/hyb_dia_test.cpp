// HYB and DIA: both parts of a row, stored zeros beside places without an element, and elements at
// the edges of words and shapes, on the host and on devices.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <switchyard/backends/reference.hpp>
#include <switchyard/containers/generate.hpp>

#include "formats.hpp"
#include "opencl_fixture.hpp"

namespace switchyard {
namespace {

/// Diagonals `diagonals` of a rows x cols matrix, of which every `hole`-th place is empty and every
/// fifth element a stored zero.
template <Element T>
Csr<T> with_diagonals(Index rows, Index cols, const std::vector<Index>& diagonals, Index hole) {
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < rows; ++i) {
    for (const Index diagonal : diagonals) {
      const Index j = i + diagonal;
      if (j < 0 || j >= cols || (hole > 0 && (i + 2 * j) % hole == 0)) continue;
      triplets.push_back({i, j, i % 5 == 0 ? T(0) : T((i * 31 + j * 17) % 97 - 48) / T(16)});
    }
  }
  return csr_from_triplets<T>(rows, cols, triplets);
}

/// Many rows of three elements; every 97th is long, and one holds `longest`.
template <Element T>
Csr<T> with_long_rows(Index rows, Index longest) {
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < rows; ++i) {
    const Index length = i == rows / 3 ? longest : i % 97 == 0 ? 60 : 3;
    for (Index k = 0; k < length; ++k) {
      triplets.push_back({i, k * longest / length, T((i * 31 + k * 17) % 97 - 48) / T(16)});
    }
  }
  return csr_from_triplets<T>(rows, longest, triplets);
}

template <Element T>
std::vector<Csr<T>> awkward_for(Format format) {
  std::vector<Csr<T>> list;
  if (format == Format::Hyb) {
    for (const Index rows : {1, 15, 16, 17, 513, 5000})
      list.push_back(with_long_rows<T>(rows, 900));
    list.push_back(with_long_rows<T>(200, 30'000));
    list.push_back(generate<T>({.kind = MatrixKind::PowerLaw, .rows = 20'000, .seed = 4}));
    return list;
  }
  for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 1},
                                   {63, 64},
                                   {64, 64},
                                   {65, 70},
                                   {4500, 4500},
                                   {300, 5000},
                                   {5000, 300}}) {
    for (const Index hole : {0, 3, 7, 64, 100}) {
      list.push_back(with_diagonals<T>(rows, cols, {-2100, -64, -1, 0, 1, 63, 200, 4000}, hole));
    }
  }
  list.push_back(generate<T>({.kind = MatrixKind::Poisson3d, .rows = 8000}));
  return list;
}

template <Element T>
std::vector<T> some_values(Index size) {
  std::vector<T> values(static_cast<std::size_t>(size));
  for (Index i = 0; i < size; ++i) values[static_cast<std::size_t>(i)] = T(i * 29 % 64 - 31) / T(8);
  return values;
}

/// What an element of x does where nothing is stored: an infinite one makes every sum NaN.
template <Element T>
void put_infinities(const Csr<T>& csr, std::vector<T>& x) {
  std::vector<bool> used(x.size());
  for (const Column column : csr.columns.span()) used[static_cast<std::size_t>(column)] = true;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (!used[j]) x[j] = std::numeric_limits<T>::infinity();
  }
  // Used as well, but in few rows.
  if (x.size() > 100) x[77] = std::numeric_limits<T>::infinity();
}

template <Element T>
void expect_same_bits(const Csr<T>& found, const Csr<T>& expected) {
  ASSERT_EQ(found.nnz, expected.nnz);
  for (Index i = 0; i <= expected.rows; ++i) ASSERT_EQ(found.offset(i), expected.offset(i)) << i;
  EXPECT_TRUE(std::ranges::equal(found.columns.span(), expected.columns.span()));
  if (expected.nnz == 0) return;
  EXPECT_EQ(std::memcmp(found.values.data(), expected.values.data(), expected.values.bytes()), 0);
}

template <class T>
class HybAndDia : public opencl::testing::OnDevice {
 protected:
  void SetUp() override {}
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(HybAndDia, Elements);

TYPED_TEST(HybAndDia, ThreadsDoNotChangeTheSums) {
  using T = TypeParam;
  for (const Format format : {Format::Hyb, Format::Dia}) {
    for (const Csr<T>& csr : awkward_for<T>(format)) {
      const Storage<T> matrix = testing::in_format<T>(
          Storage<T>(csr_from_arrays<T>(csr.rows, csr.cols,
                                        [&] {
                                          std::vector<Index> offsets;
                                          for (Index i = 0; i <= csr.rows; ++i)
                                            offsets.push_back(csr.offset(i));
                                          return offsets;
                                        }(),
                                        {csr.columns.span().begin(), csr.columns.span().end()},
                                        {csr.values.span().begin(), csr.values.span().end()})),
          format);
      ASSERT_NO_THROW(std::visit([](const auto& any) { any.check(); }, matrix));
      std::vector<T> elements = some_values<T>(csr.cols);
      put_infinities(csr, elements);
      const Array<T> x(std::move(elements));
      const std::vector<T> before(static_cast<std::size_t>(csr.rows), T(3));
      const auto expected = reference_multiply<T>(matrix, T(2), x.span(), T(-1), before);
      std::vector<T> first;
      for (const int threads : {1, 2, 3, 16}) {
        const auto host = make_host_executor(threads);
        Array<T> y = copy_of(std::span<const T>(before));
        find_multiply<T>(format, Backend::OpenMP, format == Format::Hyb ? "columns" : "rows")
            ->run({*host, matrix, T(2), x, T(-1), y});
        EXPECT_LE(worst_error<T>(expected, y.span()), 1)
            << name(format) << " " << csr.rows << " x " << csr.cols;
        if (first.empty()) first.assign(y.span().begin(), y.span().end());
        EXPECT_EQ(std::memcmp(first.data(), y.data(), y.bytes()), 0) << threads;
        const Storage<T> back =
            find_convert<T>(format, Format::Csr, Backend::OpenMP)->run(*host, matrix);
        expect_same_bits(std::get<Csr<T>>(back), csr);
        const Storage<T> again =
            find_convert<T>(Format::Csr, format, Backend::OpenMP)->run(*host, back);
        ASSERT_NO_THROW(std::visit([](const auto& any) { any.check(); }, again));
        EXPECT_EQ(bytes_of(again), bytes_of(matrix));
      }
    }
  }
}

TYPED_TEST(HybAndDia, OnADevice) {
  using T = TypeParam;
  if (this->devices().empty()) GTEST_SKIP() << "there is no OpenCL device on this machine";
  if (!this->template has<T>()) GTEST_SKIP() << "the device has no double precision";
  for (const Format format : {Format::Hyb, Format::Dia}) {
    for (const Csr<T>& csr : awkward_for<T>(format)) {
      const auto host = make_host_executor();
      Csr<T> copy{
          csr.rows, csr.cols, csr.nnz, {}, copy_of(csr.columns.span()), copy_of(csr.values.span())};
      copy.offsets = copy_of(std::get<Array<std::int32_t>>(csr.offsets).span());
      const Storage<T> here = testing::in_format<T>(Storage<T>(std::move(copy)), format);
      const Storage<T> matrix = transferred(here, this->memory());
      std::vector<T> x = some_values<T>(csr.cols);
      put_infinities(csr, x);
      const std::vector<T> before(static_cast<std::size_t>(csr.rows), T(3));
      const std::vector<T> unread(before.size(), std::numeric_limits<T>::quiet_NaN());
      const Array<T> x_there = this->on_device(x);
      for (const T beta : {T(-1), T(0)}) {
        const auto& y = beta == T(0) ? unread : before;
        const auto expected = reference_multiply<T>(here, T(2), x, beta, y);
        Array<T> y_there = this->on_device(y);
        find_multiply<T>(format, Backend::OpenCL, format == Format::Hyb ? "columns" : "rows")
            ->run({this->device(), matrix, T(2), x_there, beta, y_there});
        this->device().finish();
        EXPECT_LE(worst_error<T>(expected, this->on_host(y_there)), 1)
            << name(format) << " " << csr.rows << " x " << csr.cols;
      }
      const Storage<T> back = transferred(
          find_convert<T>(format, Format::Csr, Backend::OpenCL)->run(this->device(), matrix),
          plain_host_memory());
      expect_same_bits(std::get<Csr<T>>(back), csr);
    }
  }
}

// A matrix of few elements may have any number of diagonals.
TYPED_TEST(HybAndDia, DiagonalsBeyondTheMemoryAreRefusedBeforeTheyAreAllocated) {
  using T = TypeParam;
  std::vector<Triplet<T>> triplets;
  for (Index j = 0; j < 2000; ++j) triplets.push_back({7, j, T(1)});
  const Storage<T> csr = csr_from_triplets<T>(1000, 2000, triplets);
  const auto host = make_host_executor();
  host->memory()->set_budget(1'000'000);
  try {
    static_cast<void>(find_convert<T>(Format::Csr, Format::Dia, Backend::OpenMP)->run(*host, csr));
    ADD_FAILURE() << "2 million places fitted into a megabyte";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::OutOfMemory);
  }
  EXPECT_EQ(host->memory()->used(), 0U);
}

}  // namespace
}  // namespace switchyard
