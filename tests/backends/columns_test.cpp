// Multiplications of many columns against the reference, wherever a kernel is.
#include "opencl/columns.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <map>
#include <switchyard/backends/reference.hpp>

#include "awkward_matrices.hpp"
#include "formats.hpp"
#include "opencl_multiply_fixture.hpp"
#include "sampling.hpp"

namespace switchyard {
namespace {

using opencl::testing::random_values;

/// Numbers of columns: those of one register or several, and what lies between them.
constexpr std::array<Index, 11> numbers_of_columns{1, 2, 3, 4, 7, 8, 16, 17, 32, 64, 100};

template <class T>
class Columns : public opencl::testing::OnDeviceOf<T> {
 protected:
  /// y = alpha A x + beta y, with what must come out.
  struct Problem {
    Request request;
    T alpha;
    T beta;
    std::vector<T> x;
    std::vector<T> y;
    std::vector<ReferenceRow> expected;
  };

  static Problem problem(const Storage<T>& csr, const Request& request, std::size_t turn) {
    constexpr std::array<std::pair<T, T>, 3> scalars{
        {{T(1), T(0)}, {T(-1.75), T(0.5)}, {T(0), T(1)}}};
    const auto [alpha, beta] = scalars[turn % scalars.size()];
    const Index k = request.columns;
    Problem made{request, alpha, beta, {}, {}, {}};
    made.x = random_values<T>(x_rows(request, rows_of(csr), cols_of(csr)) * k, 7);
    made.y = random_values<T>(y_rows(request, rows_of(csr), cols_of(csr)) * k, 8);
    made.expected =
        reference_multiply<T>(csr, alpha, std::span<const T>(made.x), beta, made.y, request);
    return made;
  }

  static MultiplyArguments<T> arguments(Executor& executor, const Storage<T>& there,
                                        const Problem& problem, const Array<T>& x, Array<T>& y) {
    return {.executor = executor,
            .matrix = there,
            .alpha = problem.alpha,
            .x = x,
            .beta = problem.beta,
            .y = y,
            .columns = problem.request.columns};
  }

  static std::vector<T> product(Executor& executor, const MultiplyOperation<T>& operation,
                                const Storage<T>& there, const Problem& problem) {
    const auto x = transferred(Array<T>::borrow(problem.x), executor.memory());
    auto y = transferred(Array<T>::borrow(problem.y), executor.memory());
    operation.run(arguments(executor, there, problem, x, y));
    executor.finish();
    return opencl::testing::OnDevice::on_host(y);
  }

  /// Every operation of that backend for many columns, each on every awkward matrix that its format
  /// takes: twice, for the same bits.
  static void expect_all_right(Executor& executor, Index most_work) {
    testing::Sample sample;
    std::size_t turn = 0;
    for (const auto& [what, csr] : testing::awkward_matrices<T>()) {
      const Structure structure = testing::structure_with_all_values(csr);
      const Storage<T> matrix = testing::wide_offsets(csr);
      std::map<Format, Storage<T>> stored;
      for (int i = 0; i < 3; ++i) {
        const Index columns = numbers_of_columns[turn++ % numbers_of_columns.size()];
        if (columns * (csr.rows + csr.cols + csr.nnz) > most_work) continue;
        for (const Operand operand : {Operand::Matrix, Operand::Transpose}) {
          const Problem made = problem(matrix, {operand, columns}, turn);
          for (const auto& operation : multiply_operations<T>()) {
            if (operation.backend != executor.backend() || operation.operand != operand) continue;
            if (!operation.many_columns || !fits(operation.format, structure)) continue;
            // One column after another: more of them show nothing new.
            if (operation.variant == "each" && columns > 4) continue;
            if (!sample.next()) continue;
            const auto [place, is_new] = stored.try_emplace(operation.format);
            Storage<T>& there = place->second;
            if (is_new)
              there =
                  transferred(testing::in_format<T>(matrix, operation.format), executor.memory());
            const std::vector<T> got = product(executor, operation, there, made);
            const std::string text = std::string(name(operation.format)) + " " +
                                     std::string(operation.variant) + ", " + name(made.request) +
                                     ", " + std::to_string(columns) + " columns, " + what;
            EXPECT_LE(worst_error<T>(made.expected, got), 1) << text;
            EXPECT_TRUE(opencl::testing::same_bits(got, product(executor, operation, there, made)))
                << text;
          }
        }
      }
    }
  }

  /// CSR with rows of those lengths, by every kernel for rows, times so many columns.
  void expect_rows_right(const std::vector<Index>& lengths, Index cols,
                         const std::vector<Index>& numbers) {
    auto& device = this->device();
    for (const std::string_view variant : {"rows", "staged", "binned"}) {
      const auto* const kernel =
          find_multiply<T>(Format::Csr, Backend::OpenCL, variant, {Operand::Matrix, 2});
      ASSERT_NE(kernel, nullptr) << variant;
      std::size_t turn = 0;
      for (const Index columns : numbers) {
        const Storage<T> csr = opencl::testing::with_lengths<T>(lengths, cols, columns % 3 == 0);
        const auto made = problem(csr, {Operand::Matrix, columns}, turn++);
        const Storage<T> there = transferred(csr, device.memory());
        const auto got = product(device, *kernel, there, made);
        EXPECT_LE(worst_error<T>(made.expected, got), 1) << variant << ", " << columns;
        EXPECT_TRUE(opencl::testing::same_bits(got, product(device, *kernel, there, made)))
            << variant << ", " << columns;
      }
    }
  }

  static bool fits(Format format, const Structure& structure) {
    return obstacle_to(format, structure).empty() &&
           facts_of(format).bytes(structure, sizeof(T)) <= 4e6;
  }
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Columns, Elements);

TYPED_TEST(Columns, AreRightOnTheHost) {
  const auto host = make_host_executor();
  TestFixture::expect_all_right(*host, 1'000'000);
}

TYPED_TEST(Columns, AreRightOnADevice) {
  TestFixture::expect_all_right(TestFixture::device(), 300'000);
}

// Rows that are read by loads of four nonzeros, from any place on, and rows that a whole group
// takes or that are cut into pieces.
TYPED_TEST(Columns, LongRowsAreRightOnADevice) {
  std::vector<Index> lengths(37, 290);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] += static_cast<Index>(i * 7 % 11);
  lengths[3] = 0;
  lengths[5] = 3;
  lengths[36] = 5000;
  // More and fewer than before: what pieces publish takes more and less room.
  TestFixture::expect_rows_right(lengths, 5000, {4, 2, 3, 8, 12, 17, 32, 64, 100, 132, 6});
}

// Rows that with few columns are not read by loads of four.
TYPED_TEST(Columns, MiddlingRowsAreRightOnADevice) {
  std::vector<Index> lengths(45, 26);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] += static_cast<Index>(i * 7 % 4);
  lengths[44] = 0;
  TestFixture::expect_rows_right(lengths, 500, {4, 2, 3, 8, 12, 32, 132});
}

// As many as fill a large device; some that a warp takes, in one warp and alone, the last one too.
TYPED_TEST(Columns, ShortRowsAreRightOnADevice) {
  std::vector<Index> lengths(30'001);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = static_cast<Index>(i * 5 % 7);
  for (const std::size_t i : {0, 3, 17, 18, 130, 12'345, 30'000}) lengths[i] = 97;
  lengths[19] = 700;
  TestFixture::expect_rows_right(lengths, 1000, {2, 3, 8, 32, 132});
  // Several teams for each row.
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] += static_cast<Index>(9 + i * 3 % 4);
  TestFixture::expect_rows_right(lengths, 1000, {2, 12, 100});
}

/// The elements of a row of X as the last call of `note_width` was handed it.
Index noted_width = 0;

template <Element T>
void note_width(const MultiplyArguments<T>& arguments, Index width) {
  EXPECT_EQ(arguments.x.size() % width, 0);
  noted_width = width;
}

// A copy of X whose rows are whole portions of 16 bytes.
TYPED_TEST(Columns, WidenedRowsAreRightOnADevice) {
  using T = TypeParam;
  auto& device = TestFixture::device();
  const Storage<T> csr = opencl::testing::with_lengths<T>({3, 0, 41, 7, 100}, 200, false);
  const Storage<T> there = transferred(csr, device.memory());
  std::size_t turn = 0;
  // The last has rows longer than a work-group.
  for (const Index columns : {3, 6, 7, 17, 18, 601}) {
    const auto made = TestFixture::problem(csr, {Operand::Matrix, columns}, turn++);
    const auto x = transferred(Array<T>::borrow(made.x), device.memory());
    auto y = transferred(Array<T>::borrow(made.y), device.memory());
    const auto arguments = TestFixture::arguments(device, there, made, x, y);
    opencl::multiply_widened<T>(arguments, &opencl::multiply_rows<T>);
    EXPECT_LE(worst_error<T>(made.expected, opencl::testing::OnDevice::on_host(y)), 1) << columns;
    opencl::multiply_widened<T>(arguments, &note_width<T>);
    constexpr Index at_once = 16 / Index{sizeof(T)};
    EXPECT_EQ(noted_width, (columns + at_once - 1) / at_once * at_once);
    // So few nonzeros are not worth a copy.
    opencl::multiply_by_wide_rows<T>(arguments, &note_width<T>);
    EXPECT_EQ(noted_width, columns);
  }
}

// Enough nonzeros that rows are widened where that repays at all; and no room for it.
TYPED_TEST(Columns, RowsAreWidenedWhereThatRepays) {
  using T = TypeParam;
  auto& device = TestFixture::device();
  constexpr Index length = 500;
  constexpr Index cols = 1400;
  const opencl::Tuning& tuning = device.tuning();
  const Index rows = tuning.fewest_products_to_widen_floats / (3 * length) + 1;
  std::vector<Index> lengths(static_cast<std::size_t>(rows), length);
  // In pieces, where rows are binned.
  lengths[0] = lengths[7] = 1300;
  TestFixture::expect_rows_right(lengths, cols, {3, 6, 7, 17});

  const Storage<T> csr = opencl::testing::with_lengths<T>(lengths, cols, false);
  const auto made = TestFixture::problem(csr, {Operand::Matrix, 17}, 1);
  const Storage<T> there = transferred(csr, device.memory());
  const auto x = transferred(Array<T>::borrow(made.x), device.memory());
  auto y = transferred(Array<T>::borrow(made.y), device.memory());
  const auto arguments = TestFixture::arguments(device, there, made, x, y);
  const bool repays =
      sizeof(T) == 4 || tuning.fewest_products_to_widen_doubles <= rows * length * 17;
  opencl::multiply_by_wide_rows<T>(arguments, &note_width<T>);
  EXPECT_EQ(noted_width > 17, repays);
  const auto* const kernel = find_multiply<T>(Format::Csr, Backend::OpenCL, "rows", made.request);
  ASSERT_NE(kernel, nullptr);
  MemorySpace& memory = *device.memory();
  memory.set_budget(memory.used() + memory.own());
  EXPECT_NO_THROW(kernel->run(arguments));
  memory.set_budget(MemorySpace::unlimited);
  EXPECT_LE(worst_error<T>(made.expected, opencl::testing::OnDevice::on_host(y)), 1);
}

TYPED_TEST(Columns, RowsOfTooManyBytesAreRefusedByADevice) {
  using T = TypeParam;
  auto& device = TestFixture::device();
  const Storage<T> csr = opencl::testing::with_lengths<T>({1, 1}, 1, false);
  const Storage<T> there = transferred(csr, device.memory());
  // Nothing of them is touched.
  const Array<T> x(0, device.memory());
  Array<T> y(0, device.memory());
  const auto multiply = [&](Index columns) {
    opencl::multiply_by_wide_rows<T>({device, there, 1, x, 0, y, Threads::All, columns},
                                     &note_width<T>);
  };
  constexpr Index most = (INT32_MAX - 16) / Index{sizeof(T)};
  EXPECT_NO_THROW(multiply(most));
  try {
    multiply(most + 1);
    ADD_FAILURE() << "a row of 2 GiB was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Unsupported);
  }
}

// The last nonzero of a row is asked for again where no other is left, and does not count.
TYPED_TEST(Columns, WhatIsAskedForAgainDoesNotCount) {
  using T = TypeParam;
  constexpr Index cols = 50;
  auto& device = TestFixture::device();
  std::vector<Index> lengths(20'000);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = static_cast<Index>(i * i / 64 % 6);
  const Storage<T> csr = opencl::testing::with_lengths<T>(lengths, cols, false);
  const Storage<T> there = transferred(csr, device.memory());
  for (const Index columns : {2, 4, 7, 16}) {
    auto made = TestFixture::problem(csr, {Operand::Matrix, columns}, 0);
    for (const Index row : {Index{0}, Index{31}, cols - 1}) {
      for (Index c = 0; c < columns; ++c) {
        made.x[static_cast<std::size_t>(row * columns + c)] =
            row == 31 ? std::numeric_limits<T>::quiet_NaN() : std::numeric_limits<T>::infinity();
      }
    }
    made.expected = reference_multiply<T>(csr, made.alpha, std::span<const T>(made.x), made.beta,
                                          made.y, made.request);
    for (const std::string_view variant : {"rows", "staged"}) {
      const auto* const kernel =
          find_multiply<T>(Format::Csr, Backend::OpenCL, variant, made.request);
      ASSERT_NE(kernel, nullptr);
      EXPECT_LE(worst_error<T>(made.expected, TestFixture::product(device, *kernel, there, made)),
                1)
          << variant << ", " << columns;
    }
  }
}

// Rows and columns that fill panels, tiles and stretches of columns, and that do not; many columns
// of few rows are cut into stretches, whose sums are added.
TYPED_TEST(Columns, DensePanelsAndTilesAreRightOnADevice) {
  using T = TypeParam;
  auto& device = TestFixture::device();
  constexpr std::array<std::pair<Index, Index>, 8> shapes{
      {{1, 9000}, {5, 4100}, {47, 520}, {48, 1}, {64, 2056}, {129, 260}, {131, 77}, {300, 1031}}};
  std::size_t turn = 0;
  for (const auto& [rows, cols] : shapes) {
    const std::vector<Index> lengths(static_cast<std::size_t>(rows), cols);
    const Storage<T> csr = opencl::testing::with_lengths<T>(lengths, cols, false);
    const Storage<T> there =
        transferred(testing::in_format<T>(csr, Format::Dense), device.memory());
    for (const Index columns : {2, 3, 5, 8, 9, 16, 17, 31, 64, 71}) {
      const auto made = TestFixture::problem(csr, {Operand::Matrix, columns}, turn++);
      const auto* const kernel =
          find_multiply<T>(Format::Dense, Backend::OpenCL, "panels", made.request);
      ASSERT_NE(kernel, nullptr);
      const std::vector<T> got = TestFixture::product(device, *kernel, there, made);
      const std::string text = std::to_string(rows) + " x " + std::to_string(cols) + ", " +
                               std::to_string(columns) + " columns";
      EXPECT_LE(worst_error<T>(made.expected, got), 1) << text;
      EXPECT_TRUE(
          opencl::testing::same_bits(got, TestFixture::product(device, *kernel, there, made)))
          << text;
    }
  }
}

}  // namespace
}  // namespace switchyard
