// The matrix handle: right answers in every state, copies, pins, writes, budgets, threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <switchyard/switchyard.hpp>
#include <thread>

#include "core/fixtures.hpp"
#include "formats.hpp"
#include "states.hpp"

namespace switchyard {
namespace {

using testing::random_dense;
using testing::random_vector;

using testing::csr_device;
using testing::csr_host;
using testing::dense_device;
using testing::dense_host;

/// The worst error of `A y = alpha A x + beta y` against the reference, in units of the bound.
template <Element T>
double error_of_product(const GMatrix<T>& matrix, const Storage<T>& original, T alpha, T beta) {
  const auto x = random_vector<T>(matrix.cols(), 5);
  auto y = random_vector<T>(matrix.rows(), 6);
  const auto expected = reference_multiply<T>(original, alpha, x, beta, y);
  matrix.multiply(alpha, std::span<const T>(x), beta, std::span<T>(y));
  return worst_error<T>(expected, std::span<const T>(y));
}

template <class T>
class GMatrixOf : public ::testing::Test {
 protected:
  Runtime runtime_{RuntimeOptions{}};
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GMatrixOf, Elements);

TEST(GMatrix, HandlesAreAssignedAndOutliveTheirRuntime) {
  Runtime runtime(testing::host_only());
  GMatrix<float> matrix = runtime.matrix(random_dense<float>(3, 4, 0.5, 1));
  matrix = runtime.matrix(random_dense<float>(5, 2, 0.5, 2));
  runtime = Runtime(testing::host_only());
  EXPECT_EQ(matrix.rows(), 5);
  EXPECT_LE(error_of_product<float>(matrix, random_dense<float>(5, 2, 0.5, 2), 2, 1), 1);
}

TYPED_TEST(GMatrixOf, IsRightInEveryStateFromEveryState) {
  using T = TypeParam;
  for (const auto& executor : this->runtime_.executors()) {
    for (const auto& facts : format_table) {
      const State start{executor->space(), facts.format};
      // Few values where there is one of a coding format: both can hold them.
      for (const auto& to_executor : this->runtime_.executors()) {
        for (const auto& to_facts : format_table) {
          const State target{to_executor->space(), to_facts.format};
          const Storage<T> original = testing::recoded(
              testing::recoded(random_dense<T>(53, 71, 0.3, 1), facts.format), to_facts.format);
          if (!executor->supports(precision_of<T>) || !to_executor->supports(precision_of<T>)) {
            continue;
          }
          auto matrix = this->runtime_.matrix(transferred(original, plain_host_memory()));
          matrix.bring_to(start);
          for (const State state : matrix.states()) {
            if (state != start) matrix.evict(state);
          }
          ASSERT_EQ(matrix.states(), std::vector{start});
          matrix.pin(target);
          EXPECT_LE(error_of_product<T>(matrix, original, T(1), T(0)), 1) << name(target);
          EXPECT_LE(error_of_product<T>(matrix, original, T(-1.5), T(0.5)), 1) << name(target);
          const auto states = matrix.states();
          EXPECT_TRUE(std::ranges::find(states, target) != states.end());
          EXPECT_TRUE(std::ranges::find(states, start) != states.end());
        }
      }
    }
  }
}

TYPED_TEST(GMatrixOf, VectorsStayCoherentWhereverTheProductRuns) {
  using T = TypeParam;
  const Storage<T> original = random_dense<T>(40, 40, 0.5, 2);
  auto matrix = this->runtime_.matrix(transferred(original, plain_host_memory()));
  const auto start = random_vector<T>(40, 3);
  Vector<T> x{std::span<const T>(start)};
  Vector<T> y(40);
  std::vector<T> plain(start);
  int turn = 0;
  for (const auto& executor : this->runtime_.executors()) {
    for (const auto& facts : testing::formats_for(matrix.structure())) {
      if (!executor->supports(precision_of<T>)) continue;
      matrix.pin({executor->space(), facts.format});
      const auto expected = reference_multiply<T>(original, T(1), plain, T(0), {});
      matrix.multiply(x, y);
      EXPECT_LE(worst_error<T>(expected, y.read()), 1);
      if (turn++ % 2 == 0) {
        for (T& value : y.write()) value /= 8;
      }
      plain.assign(y.read().begin(), y.read().end());
      std::swap(x, y);
    }
  }
}

TYPED_TEST(GMatrixOf, EmptyShapesGiveBetaY) {
  using T = TypeParam;
  for (const auto& [rows, cols] : {std::pair<Index, Index>{0, 0}, {0, 5}, {5, 0}, {1, 1}}) {
    const Storage<T> original =
        Dense<T>{rows, cols, Array<T>(std::vector<T>(std::size_t(rows * cols), T(2)))};
    for (const auto& executor : this->runtime_.executors()) {
      for (const auto& facts : format_table) {
        if (!executor->supports(precision_of<T>)) continue;
        auto matrix = this->runtime_.matrix(transferred(original, plain_host_memory()));
        matrix.pin({executor->space(), facts.format});
        EXPECT_LE(error_of_product<T>(matrix, original, T(1), T(0)), 1) << rows << "x" << cols;
        EXPECT_LE(error_of_product<T>(matrix, original, T(1), T(3)), 1) << rows << "x" << cols;
      }
    }
  }
}

TYPED_TEST(GMatrixOf, WritingDropsTheOtherCopiesAndStartsAnew) {
  using T = TypeParam;
  auto matrix = this->runtime_.matrix(random_dense<T>(30, 20, 0.4, 4));
  matrix.bring_to(csr_host);
  ASSERT_EQ(matrix.states().size(), 2U);
  matrix.write_dense([](std::span<T> values) { values[3] = T(7); });
  EXPECT_EQ(matrix.states(), std::vector{dense_host});
  EXPECT_TRUE(matrix.history().empty());
  const Storage<T> dense = matrix.copy_out(Format::Dense);
  EXPECT_EQ(std::get<Dense<T>>(dense).values[3], T(7));
  EXPECT_LE(error_of_product<T>(matrix, dense, T(1), T(0)), 1);

  matrix.write_csr([](const Csr<T>& pattern, std::span<T> values) {
    EXPECT_EQ(pattern.nnz, static_cast<Index>(values.size()));
    for (T& value : values) value *= T(2);
  });
  EXPECT_EQ(matrix.states(), std::vector{csr_host});
  EXPECT_EQ(std::get<Dense<T>>(matrix.copy_out(Format::Dense)).values[3], T(14));
}

TYPED_TEST(GMatrixOf, AThrowingWriteLosesNothingButItsOwnChanges) {
  using T = TypeParam;
  auto matrix = this->runtime_.matrix(random_dense<T>(10, 10, 0.4, 4));
  EXPECT_THROW(matrix.write_dense([](std::span<T> values) {
    values[0] = T(9);
    throw std::runtime_error("no more");
  }),
               std::runtime_error);
  EXPECT_EQ(std::get<Dense<T>>(matrix.copy_out(Format::Dense)).values[0], T(9));
}

TYPED_TEST(GMatrixOf, AssignMayChangeTheShape) {
  using T = TypeParam;
  auto matrix = this->runtime_.matrix(random_dense<T>(10, 10, 0.4, 4));
  matrix.assign(random_dense<T>(4, 9, 0.4, 4));
  EXPECT_EQ(matrix.rows(), 4);
  EXPECT_EQ(matrix.cols(), 9);
}

TEST(GMatrix, RefusesOperandsThatDoNotFit) {
  const Runtime runtime(testing::host_only());
  auto matrix = runtime.matrix(random_dense<float>(4, 6, 1, 1));
  Vector<float> six(6);
  Vector<float> four(4);
  EXPECT_THROW(matrix.multiply(four, six), Error);
  EXPECT_THROW(matrix.multiply(six, six), Error);
  auto square = runtime.matrix(random_dense<float>(4, 4, 1, 1));
  EXPECT_THROW(square.multiply(four, four), Error);
  std::vector<float> memory(7);
  const auto all = std::span<float>(memory);
  EXPECT_THROW(square.multiply(std::span<const float>(all.first(4)), all.subspan(3, 4)), Error);
  EXPECT_THROW(matrix.expect_calls(0), Error);
  EXPECT_THROW(matrix.pin(csr_device), Error);
  EXPECT_THROW(matrix.bring_to(csr_device), Error);
  EXPECT_THROW(static_cast<void>(runtime.matrix(Dense<float>{2, 2, Array<float>(3)})), Error);
  EXPECT_THROW(static_cast<void>(runtime.matrix(Csr<float>{2, 2, 1, {}, {}, {}})), Error);
  EXPECT_THROW(static_cast<void>(runtime.matrix<float>(2, 2, std::span<const float>(memory))),
               Error);
}

TEST(GMatrix, BetaZeroNeverReadsY) {
  const Runtime runtime{RuntimeOptions{}};
  for (const auto& executor : runtime.executors()) {
    for (const auto& facts : format_table) {
      auto matrix =
          runtime.matrix(testing::recoded(random_dense<float>(50, 50, 0.3, 1), facts.format));
      matrix.pin({executor->space(), facts.format});
      const auto x = random_vector<float>(50, 2);
      std::vector<float> y(50, std::numeric_limits<float>::quiet_NaN());
      matrix.multiply(std::span<const float>(x), std::span<float>(y));
      for (const float value : y) EXPECT_FALSE(std::isnan(value));
    }
  }
}

TEST(GMatrix, AZeroThatIsNotStoredContributesNothing) {
  const Runtime runtime{RuntimeOptions{}};
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> values{0, 1, 2, 0};
  for (const auto& executor : runtime.executors()) {
    auto matrix = runtime.matrix<float>(2, 2, std::span<const float>(values));
    const std::vector<float> x{infinity, 1};
    std::vector<float> y(2);
    matrix.pin({executor->space(), Format::Csr});
    matrix.multiply(std::span<const float>(x), std::span<float>(y));
    EXPECT_EQ(y[0], 1);
    EXPECT_EQ(y[1], infinity);
    matrix.pin({executor->space(), Format::Dense});
    matrix.multiply(std::span<const float>(x), std::span<float>(y));
    EXPECT_TRUE(std::isnan(y[0]));
  }
}

TEST(GMatrix, TheLastCopyNeverGoes) {
  const Runtime runtime(testing::host_only());
  auto matrix = runtime.matrix(random_dense<float>(8, 8, 0.5, 1));
  EXPECT_FALSE(matrix.evict(dense_host));
  EXPECT_FALSE(matrix.evict(csr_host));
  matrix.bring_to(csr_host);
  EXPECT_TRUE(matrix.evict(dense_host));
  EXPECT_FALSE(matrix.evict(csr_host));
}

TEST(GMatrix, ABudgetEvictsTheLeastRecentlyUsedCopyOfAnotherMatrix) {
  RuntimeOptions options = testing::host_only();
  options.host_budget = 100 * 100 * 4 * 5 / 2;
  const Runtime runtime(options);
  auto first = runtime.matrix(random_dense<float>(100, 100, 0.1, 1));
  first.bring_to(csr_host);
  auto second = runtime.matrix(random_dense<float>(100, 100, 0.1, 2));
  second.bring_to(csr_host);
  // Two dense copies fit and two sparse ones; bringing a third dense one needs somebody's place.
  EXPECT_TRUE(first.evict(dense_host));
  first.bring_to(dense_host);
  const auto& memory = *runtime.executor(Space::host())->memory();
  EXPECT_LE(memory.used(), memory.budget());
  EXPECT_GE(first.states().size(), 1U);
  EXPECT_GE(second.states().size(), 1U);
}

TEST(GMatrix, AStateBeyondTheBudgetIsRefusedAndTheProductStillDone) {
  RuntimeOptions options = testing::host_only();
  options.host_budget = 40'000;
  const Runtime runtime(options);
  auto matrix = runtime.matrix(generate<float>({.rows = 1000, .density = 0.002}));
  const Storage<float> original = matrix.copy_out(Format::Csr);
  EXPECT_LE(error_of_product<float>(matrix, original, 1.0F, 0.0F), 1);
  EXPECT_EQ(matrix.states(), std::vector{csr_host});
  matrix.pin(dense_host);
  const std::vector<float> x(1000, 1);
  std::vector<float> y(1000);
  EXPECT_THROW(matrix.multiply(std::span<const float>(x), std::span<float>(y)), Error);
  matrix.unpin();
  EXPECT_LE(error_of_product<float>(matrix, original, 1.0F, 0.0F), 1);
}

TEST(GMatrix, MemoryThatWasShortOnceIsAskedForAgain) {
  const Runtime runtime(testing::host_only());
  auto& memory = *runtime.executor(Space::host())->memory();
  const auto matrix = runtime.matrix(random_dense<float>(50, 50, 0.3, 1));
  memory.set_budget(memory.used());
  EXPECT_THROW(matrix.bring_to(csr_host), Error);
  EXPECT_THROW(static_cast<void>(matrix.copy_out(Format::Csr)), Error);
  memory.set_budget(MemorySpace::unlimited);
  EXPECT_NO_THROW(matrix.bring_to(csr_host));
  EXPECT_EQ(matrix.states().size(), 2U);
}

void multiply_ones(const GMatrix<float>& matrix) {
  const std::vector<float> x(static_cast<std::size_t>(matrix.cols()), 1);
  std::vector<float> y(static_cast<std::size_t>(matrix.rows()));
  matrix.multiply(std::span<const float>(x), std::span<float>(y));
}

/// Pins to CSR where there is no memory for it, multiplies in the dense copy without it, and lifts
/// the limit.
void multiply_without_the_pinned_copy(const Runtime& runtime, const GMatrix<float>& matrix) {
  auto& memory = *runtime.executor(Space::host())->memory();
  memory.set_budget(memory.used());
  matrix.pin(csr_host);
  multiply_ones(matrix);
  ASSERT_EQ(matrix.states(), std::vector{dense_host});
  memory.set_budget(MemorySpace::unlimited);
}

TEST(GMatrix, AStateThatAProductDidWithoutForWantOfMemoryIsThereWhenItIsAskedFor) {
  const Runtime runtime(testing::host_only());
  const auto matrix = runtime.matrix(random_dense<float>(50, 50, 0.3, 1));
  multiply_without_the_pinned_copy(runtime, matrix);
  EXPECT_NO_THROW(matrix.bring_to(csr_host));
}

// The only path from dense to ELLPACK is through CSR, for which there was no room before.
TEST(GMatrix, WhatAProductDidWithoutIsNoObstacleToAnotherPin) {
  const Runtime runtime(testing::host_only());
  const auto matrix = runtime.matrix(random_dense<float>(50, 50, 0.3, 1));
  multiply_without_the_pinned_copy(runtime, matrix);
  const State ell_host{Space::host(), Format::Ell};
  matrix.pin(ell_host);
  multiply_ones(matrix);
  const auto states = matrix.states();
  EXPECT_NE(std::ranges::find(states, ell_host), states.end());
}

// All nonzeros are in a few rows of a large matrix, which the sample of its rows misses.
TEST(GMatrix, AStateThatTakesMoreThanEstimatedHasTheRoomOfOtherCopies) {
  constexpr Index size = 1500;
  const Runtime runtime(testing::host_only());
  auto dense = Dense<float>::sized(size, size);
  std::ranges::fill(dense.values.span(), 0.0F);
  for (Index k = 700 * size; k < 703 * size; ++k) dense.values[k] = 1;
  const auto matrix = runtime.matrix(std::move(dense));
  const auto other = runtime.matrix(random_dense<float>(100, 100, 0.5, 2));
  other.bring_to(csr_host);
  const double estimate = bytes_in(Format::Csr, matrix.structure(), sizeof(float));
  MemorySpace& memory = *runtime.executor(Space::host())->memory();
  memory.set_budget(memory.used() + static_cast<std::size_t>(estimate));
  matrix.bring_to(csr_host);
  EXPECT_EQ(matrix.states(), (std::vector{dense_host, csr_host}));
  EXPECT_EQ(matrix.structure().nnz, 3 * size);
  EXPECT_EQ(other.states().size(), 1U) << "it gave way";
}

// The only path from ELLPACK to dense is through CSR.
TEST(GMatrix, WhatMemoryWasShortForOnTheWayIsTriedAgain) {
  const Runtime runtime(testing::host_only());
  const Storage<float> dense = random_dense<float>(50, 40, 0.3, 1);
  const auto matrix = runtime.matrix(testing::in_format(dense, Format::Ell));
  MemorySpace& memory = *runtime.executor(Space::host())->memory();
  memory.set_budget(memory.used());
  try {
    matrix.bring_to(dense_host);
    ADD_FAILURE() << "there was no room";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::OutOfMemory) << error.what();
  }
  memory.set_budget(MemorySpace::unlimited);
  matrix.pin(dense_host);
  const std::vector<float> x(40, 1.0F);
  std::vector<float> y(50);
  matrix.multiply(std::span<const float>(x), std::span<float>(y));
  const auto expected = reference_multiply<float>(dense, 1.0F, x, 0.0F, {});
  EXPECT_LE(worst_error<float>(expected, y), 1);
  EXPECT_EQ(matrix.states().front(), dense_host);
}

TEST(GMatrix, ManyThreadsMultiplyWithOneMatrix) {
  // From the first use of each device on: x gets its copies while others multiply with it.
  const Runtime runtime{RuntimeOptions{}};
  const Storage<float> original = random_dense<float>(64, 64, 0.3, 9);
  const auto matrix = runtime.matrix(transferred(original, plain_host_memory()));
  const auto start = random_vector<float>(64, 1);
  const Vector<float> shared{std::span<const float>(start)};
  const auto expected = reference_multiply<float>(original, 1.0F, start, 0.0F, {});
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      Vector<float> y(64);
      for (int i = 0; i < 50; ++i) {
        const auto& executors = runtime.executors();
        if (i % 10 == t) {
          matrix.pin(
              {executors[std::size_t(t) % executors.size()]->space(), static_cast<Format>(i % 2)});
        }
        matrix.multiply(shared, y);
        if (worst_error<float>(expected, y.read()) > 1) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(GMatrix, HistoryAndExplainTellWhatWasDone) {
  const Runtime runtime(testing::host_only());
  auto matrix = runtime.matrix(random_dense<double>(30, 30, 0.2, 9));
  matrix.pin(csr_host);
  const Vector<double> x(30, 1.0);
  Vector<double> y(30);
  for (int i = 0; i < 3; ++i) matrix.multiply(x, y);
  const auto history = matrix.history();
  ASSERT_EQ(history.size(), 2U);
  EXPECT_EQ(history[0].kind, StepKind::Convert);
  EXPECT_TRUE(history[0].measured_seconds.has_value());
  EXPECT_EQ(history[1].calls, 3);
  EXPECT_EQ(history[1].measured_calls, 3);
  const std::string text = matrix.explain();
  EXPECT_NE(text.find("multiply"), std::string::npos);
  EXPECT_NE(text.find("csr@host"), std::string::npos);
}

}  // namespace
}  // namespace switchyard
