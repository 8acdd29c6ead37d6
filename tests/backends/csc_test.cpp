// CSC: its conversions on the host, and products with the transpose wherever a kernel is.
#include "opencl/csc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <switchyard/backends/reference.hpp>

#include "awkward_matrices.hpp"
#include "formats.hpp"
#include "opencl_fixture.hpp"
#include "own_device.hpp"

namespace switchyard {
namespace {

using opencl::testing::random_values;

template <class T>
class CscFormat : public opencl::testing::OnDeviceOf<T> {
 protected:
  /// y = alpha A^T x + beta y by every kernel of that backend on `executor`.
  static void expect_transposed_products_right(Executor& executor, const Csr<T>& csr,
                                               const std::string& what) {
    const Storage<T> matrix = testing::wide_offsets(csr);
    const auto x_values = random_values<T>(csr.rows, 1);
    const auto y_values = random_values<T>(csr.cols, 2);
    const Structure structure = testing::structure_with_all_values(csr);
    constexpr std::array numbers{std::pair{T(1), T(0)}, std::pair{T(-2), T(0.5)}};
    std::vector<std::vector<ReferenceRow>> expected;
    for (const auto& [alpha, beta] : numbers) {
      expected.push_back(reference_multiply<T>(matrix, alpha, std::span<const T>(x_values), beta,
                                               y_values, {Operand::Transpose, 1}));
    }
    for (const auto& operation : multiply_operations<T>()) {
      if (operation.backend != executor.backend() || operation.operand == Operand::Matrix) continue;
      const FormatFacts& facts = facts_of(operation.format);
      if (!obstacle_to(operation.format, structure).empty()) continue;
      if (facts.bytes(structure, sizeof(T)) > 16e6) continue;
      const Storage<T> there =
          transferred(testing::in_format(matrix, operation.format), executor.memory());
      const auto x = transferred(Array<T>::borrow(x_values), executor.memory());
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto [alpha, beta] = numbers[i];
        auto y = transferred(Array<T>::borrow(y_values), executor.memory());
        operation.run({executor, there, alpha, x, beta, y});
        const auto got = transferred(y, plain_host_memory());
        EXPECT_LE(worst_error<T>(expected[i], got.span()), 1)
            << what << ", " << name(operation.format) << " " << operation.variant;
      }
    }
  }
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CscFormat, Elements);

TYPED_TEST(CscFormat, TransposedProductsAreRightOnTheHost) {
  const auto host = make_host_executor();
  for (const auto& [what, csr] : testing::awkward_matrices<TypeParam>()) {
    TestFixture::expect_transposed_products_right(*host, csr, what);
  }
}

TYPED_TEST(CscFormat, TransposedProductsAreRightOnADevice) {
  for (const auto& [what, csr] : testing::awkward_matrices<TypeParam>()) {
    if (csr.rows * csr.cols > 4'000'000) continue;
    TestFixture::expect_transposed_products_right(TestFixture::device(), csr, what);
  }
}

/// The same elements in the same order, whatever the width of offsets.
template <Element T>
void expect_same_rows(const Csr<T>& found, const Csr<T>& wanted) {
  ASSERT_EQ(found.rows, wanted.rows);
  ASSERT_EQ(found.cols, wanted.cols);
  ASSERT_EQ(found.nnz, wanted.nnz);
  for (Index i = 0; i <= wanted.rows; ++i) ASSERT_EQ(found.offset(i), wanted.offset(i)) << i;
  EXPECT_TRUE(std::ranges::equal(found.columns.span(), wanted.columns.span()));
  EXPECT_TRUE(std::ranges::equal(found.values.span(), wanted.values.span()));
}

TYPED_TEST(CscFormat, ADeviceConvertsAsTheHostDoes) {
  using T = TypeParam;
  Executor& device = TestFixture::device();
  const auto host = make_host_executor();
  const auto on_device = [&](Format from, Format to, const Storage<T>& matrix) {
    const auto* const convert = find_convert<T>(from, to, Backend::OpenCL);
    return transferred(convert->run(device, transferred(matrix, device.memory())),
                       plain_host_memory());
  };
  for (const auto& [what, csr] : testing::awkward_matrices<T>()) {
    SCOPED_TRACE(what);
    for (const bool wide : {false, true}) {
      const Storage<T> given = testing::wide_offsets(csr);
      const Storage<T> narrow =
          testing::in_format(testing::in_format(given, Format::Csc), Format::Csr);
      const Storage<T>& matrix = wide ? given : narrow;
      const Storage<T> wanted =
          find_convert<T>(Format::Csr, Format::Csc, Backend::OpenMP)->run(*host, matrix);
      const Storage<T> by_columns = on_device(Format::Csr, Format::Csc, matrix);
      expect_same_rows(compressed_rows(by_columns), compressed_rows(wanted));
      const Storage<T> back = on_device(Format::Csc, Format::Csr, by_columns);
      expect_same_rows(compressed_rows(back), csr);
    }
  }
}

/// A random matrix with a full row, rows without elements, and perhaps a full column.
template <Element T>
Csr<T> many_rows(Index rows, Index cols, Index elements, bool full_column = true) {
  std::vector<Triplet<T>> triplets;
  std::mt19937 engine(7);
  const auto below = [&](Index limit) {
    return std::uniform_int_distribution<Index>(0, limit - 1)(engine);
  };
  for (Index k = 0; k < elements; ++k) triplets.push_back({below(rows - 2), below(cols), T(k + 1)});
  for (Index j = 0; j < cols; ++j) triplets.push_back({rows / 2, j, T(2)});
  for (Index i = 0; full_column && i < rows - 2; ++i) triplets.push_back({i, cols / 3, T(3)});
  return csr_from_triplets<T>(rows, cols, triplets);
}

template <Element T>
Csr<T> plainly_transposed(const Csr<T>& csr) {
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < csr.rows; ++i) {
    for (Index k = csr.offset(i); k < csr.offset(i + 1); ++k) {
      triplets.push_back({csr.columns[k], i, csr.values[k]});
    }
  }
  return csr_from_triplets<T>(csr.cols, csr.rows, triplets);
}

// Elements of many columns go through buckets; one with most elements is shared by all threads.
TYPED_TEST(CscFormat, ManyColumnsAreConvertedThroughBuckets) {
  using T = TypeParam;
  const auto host = make_host_executor();
  const auto* const to_csc = find_convert<T>(Format::Csr, Format::Csc, Backend::OpenMP);
  const auto* const to_csr = find_convert<T>(Format::Csc, Format::Csr, Backend::OpenMP);
  for (const auto& [rows, cols] : {std::pair<Index, Index>{3, 100000},
                                   {9000, 16384},
                                   {9000, 16385},
                                   {100000, 20000},
                                   {40000, 300001}}) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
    const Storage<T> narrow = many_rows<T>(rows, cols, 50000);
    const auto& csr = std::get<Csr<T>>(narrow);
    const Storage<T> wide = testing::wide_offsets(csr);
    const Csr<T> wanted = plainly_transposed(csr);
    for (const Storage<T>* matrix : {&narrow, &wide}) {
      const Storage<T> by_columns = to_csc->run(*host, *matrix);
      expect_same_rows(compressed_rows(by_columns), wanted);
      expect_same_rows(compressed_rows(to_csr->run(*host, by_columns)), csr);
    }
  }
}

/// Offsets of both widths.
template <Element T>
void expect_transposed(opencl::Transposing way, Executor& device, const Csr<T>& csr) {
  SCOPED_TRACE(std::to_string(csr.rows) + " x " + std::to_string(csr.cols));
  const Csr<T> wanted = plainly_transposed(csr);
  const Storage<T> wide = testing::wide_offsets(csr);
  const Storage<T> narrow = testing::in_format(testing::in_format(wide, Format::Csc), Format::Csr);
  for (const Storage<T>* const matrix : {&narrow, &wide}) {
    const Storage<T> there = transferred(*matrix, device.memory());
    const Storage<T> made = opencl::transposed_by(way, device, std::get<Csr<T>>(there));
    expect_same_rows(compressed_rows(transferred(made, plain_host_memory())), wanted);
  }
}

// One digit and several, of each length, and tiles that are not full. In a full column all digits
// are the same.
TYPED_TEST(CscFormat, ElementsAreSortedByColumns) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{3, 3},
                                   {9000, 1},
                                   {9000, 2},
                                   {9000, 5},
                                   {9000, 16},
                                   {20000, 17},
                                   {20000, 200},
                                   {20000, 257},
                                   {20000, 2000},
                                   {20000, 65537},
                                   {200000, 300},
                                   {40000, 300000}}) {
    for (const bool full_column : {false, true}) {
      expect_transposed(opencl::Transposing::BySorting, TestFixture::device(),
                        many_rows<TypeParam>(rows, cols, 50000, full_column));
    }
  }
}

// So far apart that the rows of a tile's elements are searched for one by one.
TYPED_TEST(CscFormat, FewElementsInManyRowsAreSorted) {
  expect_transposed(opencl::Transposing::BySorting, TestFixture::device(),
                    many_rows<TypeParam>(1000000, 300, 5000, false));
}

// Many rows are sorted there, few are counted.
TYPED_TEST(CscFormat, AGpuConvertsAsTheHostDoes) {
  using T = TypeParam;
  const auto device =
      opencl::testing::open_changed([](ExecutorFacts& facts) { facts.is_gpu = true; });
  const auto* const convert = find_convert<T>(Format::Csr, Format::Csc, Backend::OpenCL);
  for (const auto& [rows, cols] : {std::pair<Index, Index>{40000, 300000}, {300, 300}}) {
    const Storage<T> matrix = many_rows<T>(rows, cols, rows);
    const Storage<T> there = convert->run(*device, transferred(matrix, device->memory()));
    const Storage<T> got = transferred(there, plain_host_memory());
    expect_same_rows(compressed_rows(got), plainly_transposed(std::get<Csr<T>>(matrix)));
  }
}

TYPED_TEST(CscFormat, TheTransposeHasTheElementsOfEachColumn) {
  using T = TypeParam;
  const auto csr = csr_from_triplets<T>(
      3, 4, std::vector<Triplet<T>>{{0, 1, T(1)}, {0, 3, T(2)}, {2, 0, T(3)}, {2, 1, T(4)}});
  const Storage<T> by_columns = testing::in_format(testing::wide_offsets(csr), Format::Csc);
  const auto& csc = std::get<Csc<T>>(by_columns);
  csc.check();
  EXPECT_EQ(csc.rows, 3);
  EXPECT_EQ(csc.cols, 4);
  EXPECT_EQ(csc.slots(), 4);
  using Elements = std::vector<std::pair<Column, T>>;
  const std::vector<Elements> columns{{{2, T(3)}}, {{0, T(1)}, {2, T(4)}}, {}, {{0, T(2)}}};
  for (std::size_t j = 0; j < columns.size(); ++j) {
    Elements column;
    csc.transpose.row(static_cast<Index>(j),
                      [&](Column row, T value) { column.emplace_back(row, value); });
    EXPECT_EQ(column, columns[j]) << j;
  }
  std::vector<Index> lengths(3);
  csc.row_lengths(0, lengths);
  EXPECT_EQ(lengths, (std::vector<Index>{2, 0, 2}));
}

}  // namespace
}  // namespace switchyard
