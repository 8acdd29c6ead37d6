// Matrices made from arrays of the caller.
#include <gtest/gtest.h>

#include <array>

#include "containers/code_of.hpp"
#include "core/fixtures.hpp"

namespace switchyard {
namespace {

/// y = A x with x of ones.
template <Element T>
std::vector<T> row_sums(const GMatrix<T>& A) {
  const std::vector<T> x(static_cast<std::size_t>(A.cols()), T{1});
  std::vector<T> y(static_cast<std::size_t>(A.rows()));
  A.multiply(std::span<const T>(x), std::span<T>(y));
  return y;
}

TEST(Making, TheElementTypeIsDeduced) {
  const Runtime runtime(testing::host_only());
  const std::vector<float> elements{1, 2, 3, 4};
  std::vector<double> doubles{1, 2, 3, 4};
  EXPECT_EQ(row_sums(runtime.matrix(2, 2, elements)), (std::vector<float>{3, 7}));
  EXPECT_EQ(row_sums(runtime.matrix(2, 2, std::span(doubles))), (std::vector<double>{3, 7}));
  EXPECT_EQ(row_sums(runtime.matrix(2, 2, std::span<const float>(elements))),
            (std::vector<float>{3, 7}));
  EXPECT_EQ(row_sums(runtime.matrix<double>(2, 2, doubles)), (std::vector<double>{3, 7}));
  EXPECT_EQ(row_sums(runtime.matrix(1, 2, std::array{1.0F, 2.0F})), (std::vector<float>{3}));
  EXPECT_EQ(row_sums(runtime.matrix(2, 2, std::vector<Triplet<float>>{{0, 1, 5}})),
            (std::vector<float>{5, 0}));
  EXPECT_EQ(code_of([&] { (void)runtime.matrix(2, 3, elements); }), ErrorCode::DimensionMismatch);
}

TEST(Making, AViewBorrowsTheCallersArrays) {
  const Runtime runtime(testing::host_only());
  const std::vector<int> offsets{0, 2, 3};
  const std::vector<int> columns{0, 2, 1};
  const std::vector<double> values{1, 2, 3};
  const Csr<double> view = csr_view(2, 3, offsets, columns, values);
  EXPECT_EQ(view.values.data(), values.data());
  EXPECT_EQ(view.columns.data(), columns.data());
  EXPECT_EQ(std::get<0>(view.offsets).data(), offsets.data());
  EXPECT_EQ(row_sums(runtime.matrix(csr_view(2, 3, offsets, columns, values))),
            (std::vector<double>{3, 3}));
  const std::vector<std::int64_t> wide{0, 2, 3};
  const Csr<double> narrowed = csr_view(2, 3, wide, columns, values);
  EXPECT_EQ(narrowed.values.data(), values.data());
  EXPECT_EQ(row_sums(runtime.matrix(csr_view(2, 3, wide, columns, values))),
            (std::vector<double>{3, 3}));
}

TEST(Making, AViewChecksTheCallersArrays) {
  using Ints = std::vector<int>;
  const std::vector<float> values{1, 2, 3};
  const auto code = [&](Index rows, Index cols, const Ints& offsets, const Ints& columns) {
    const std::vector<std::int64_t> wide(offsets.begin(), offsets.end());
    const auto narrow_code = code_of([&] { (void)csr_view(rows, cols, offsets, columns, values); });
    EXPECT_EQ(code_of([&] { (void)csr_view(rows, cols, wide, columns, values); }), narrow_code);
    return narrow_code;
  };
  EXPECT_EQ(code(2, 3, {0, 2, 3}, {0, 2, 1}), std::nullopt);
  EXPECT_EQ(code(2, 3, {0, 2, 3}, {0, 2}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code(2, 3, {0, 3}, {0, 2, 1}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code(2, 3, {0, 2, 4}, {0, 2, 1}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code(2, 3, {0, -2, 3}, {0, 2, 1}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code(2, 3, {0, 2, 3}, {2, 0, 1}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code(2, 3, {0, 2, 3}, {0, 3, 1}), ErrorCode::OutOfRange);
  EXPECT_EQ(code(-2, 3, {0, 2, 3}, {0, 2, 1}), ErrorCode::OutOfRange);
}

}  // namespace
}  // namespace switchyard
