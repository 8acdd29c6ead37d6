// What a process may do that was forked from one that uses a runtime.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <switchyard/switchyard.hpp>

#include "core/fixtures.hpp"

namespace switchyard {
namespace {

constexpr int right = 42;
constexpr int wrong = 43;
constexpr int refused = 44;

/// How a child that does this ends: its exit code, or minus the signal; SIGALRM where it hangs.
int child_that(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    try {
      ::_exit(work());
    } catch (const Error&) {
      ::_exit(refused);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Large enough for all threads to take part.
struct Product {
  static constexpr Index size = 700;
  Storage<float> dense = testing::random_dense<float>(size, size, 0.9, 1);
  std::vector<float> x = testing::random_vector<float>(size, 2);
  std::vector<ReferenceRow> expected = reference_multiply<float>(dense, 1.0F, x, 0.0F, {});

  [[nodiscard]] GMatrix<float> made(const Runtime& runtime) const {
    return runtime.matrix(transferred(dense, plain_host_memory()));
  }
  [[nodiscard]] int outcome(const GMatrix<float>& matrix) const {
    std::vector<float> y(std::size_t{size});
    matrix.multiply(std::span<const float>(x), std::span<float>(y));
    return worst_error<float>(expected, std::span<const float>(y)) <= 1 ? right : wrong;
  }
};

TEST(Fork, AChildOfAHostRuntimeMayDoEverything) {
  const Product product;
  const Runtime runtime(testing::host_only());
  auto matrix = std::make_unique<GMatrix<float>>(product.made(runtime));
  ASSERT_EQ(product.outcome(*matrix), right);
  EXPECT_EQ(child_that([] { return right; }), right);
  EXPECT_EQ(child_that([&] {
              matrix.reset();
              return right;
            }),
            right);
  EXPECT_EQ(child_that([&] { return product.outcome(*matrix); }), right);
  EXPECT_EQ(
      child_that([&] { return product.outcome(product.made(Runtime(testing::host_only()))); }),
      right);
  // The parent is none the worse for it.
  EXPECT_EQ(product.outcome(*matrix), right);
}

/// A matrix in a device's memory, and on the host unless `only_there`.
struct OnDevice {
  Product product;
  std::unique_ptr<Runtime> runtime = std::make_unique<Runtime>(RuntimeOptions{});
  std::unique_ptr<GMatrix<float>> matrix;

  [[nodiscard]] bool made() {
    if (runtime->executors().size() < 2) return false;
    matrix = std::make_unique<GMatrix<float>>(product.made(*runtime));
    matrix->pin({Space::device(0), Format::Csr});
    EXPECT_EQ(product.outcome(*matrix), right);
    return true;
  }
};

TEST(ForkWithDevices, AChildMayExit) {
  OnDevice mine;
  if (!mine.made()) GTEST_SKIP() << "there is no device";
  EXPECT_EQ(child_that([] { return right; }), right);
  // Sanitizers and clang's OpenMP look for the parent's threads at exit.
#if !defined(SWITCHYARD_SANITIZED) && !defined(__clang__)
  EXPECT_EQ(child_that([]() -> int { std::exit(right); }), right);
#endif
  EXPECT_EQ(mine.product.outcome(*mine.matrix), right);
}

TEST(ForkWithDevices, AChildGoesOnOnTheHost) {
  OnDevice mine;
  if (!mine.made()) GTEST_SKIP() << "there is no device";
  const auto& [product, runtime, matrix] = mine;
  EXPECT_EQ(child_that([&] {
              const int outcome = product.outcome(*matrix);
              const bool known = !runtime->set_aside_reason(Space::device(0)).empty();
              return known ? outcome : wrong;
            }),
            right);
  EXPECT_EQ(child_that([&] {
              matrix->unpin();
              return product.outcome(product.made(*runtime));
            }),
            right);
  EXPECT_TRUE(runtime->set_aside_reason(Space::device(0)).empty());
  EXPECT_EQ(product.outcome(*matrix), right);
}

TEST(ForkWithDevices, WhatOnlyTheDeviceHasIsLostToTheChild) {
  OnDevice mine;
  if (!mine.made()) GTEST_SKIP() << "there is no device";
  const State host{Space::host(), Format::Dense};
  for (const State state : mine.matrix->states()) {
    if (state.space.is_host()) {
      ASSERT_TRUE(mine.matrix->evict(state));
    }
  }
  EXPECT_EQ(child_that([&] {
              try {
                return mine.product.outcome(*mine.matrix);
              } catch (const Error& error) {
                return error.code() == ErrorCode::DeviceLost ? right : wrong;
              }
            }),
            right);
  mine.matrix->bring_to(host);
  EXPECT_EQ(mine.product.outcome(*mine.matrix), right);
}

TEST(ForkWithDevices, AChildMayDestroyWhatItsParentMade) {
  OnDevice mine;
  if (!mine.made()) GTEST_SKIP() << "there is no device";
  EXPECT_EQ(child_that([&] {
              mine.matrix.reset();
              mine.runtime.reset();
              return right;
            }),
            right);
  EXPECT_EQ(mine.product.outcome(*mine.matrix), right);
}

TEST(ForkWithDevices, ANewRuntimeOfAChildHasTheHost) {
  OnDevice mine;
  if (!mine.made()) GTEST_SKIP() << "there is no device";
  EXPECT_EQ(child_that([&] {
              const Runtime runtime{RuntimeOptions{}};
              if (runtime.executors().size() != 1) return wrong;
              return mine.product.outcome(mine.product.made(runtime));
            }),
            right);
  EXPECT_EQ(mine.product.outcome(*mine.matrix), right);
}

}  // namespace
}  // namespace switchyard
