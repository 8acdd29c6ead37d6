// Operations on vectors through the public interface: where they run, and what happens otherwise.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <switchyard/switchyard.hpp>
#include <thread>

#include "core/fixtures.hpp"

namespace switchyard {
namespace {

using testing::host_only;
using testing::random_vector;

constexpr Index size = 1000;

/// A vector that is valid in that space only.
template <Element T>
Vector<T> vector_in(const Runtime& runtime, Space space, unsigned seed) {
  const auto values = random_vector<T>(size, seed);
  return testing::vector_in<T>(runtime, space, values);
}

template <Element T>
std::vector<T> copied(const Vector<T>& vector) {
  return {vector.read().begin(), vector.read().end()};
}

template <class T>
class VectorFunctions : public ::testing::Test {
 protected:
  std::vector<Space> spaces() { return testing::spaces_for<T>(runtime_); }
  Runtime runtime_{RuntimeOptions{}};
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(VectorFunctions, Elements);

TYPED_TEST(VectorFunctions, AreRightWhereverTheOperandsAre) {
  using T = TypeParam;
  const T tolerance = T(100) * std::numeric_limits<T>::epsilon();
  for (const Space x_space : this->spaces()) {
    for (const Space y_space : this->spaces()) {
      const Vector<T> x = vector_in<T>(this->runtime_, x_space, 1);
      Vector<T> y = vector_in<T>(this->runtime_, y_space, 2);
      Vector<T> z(size);
      const auto xs = random_vector<T>(size, 1);
      const auto ys = random_vector<T>(size, 2);
      axpby(this->runtime_, 2, x, -0.5, y);
      multiply_elements(this->runtime_, x, y, z);
      scale(this->runtime_, 3, z);
      add_scalar(this->runtime_, 0.25, z);
      relu(this->runtime_, z);
      const Space place = x_space.is_host() ? y_space : x_space;
      EXPECT_TRUE(y.valid_in(place));
      EXPECT_TRUE(z.valid_in(place));
      EXPECT_EQ(z.valid_in(Space::host()), place.is_host());
      double total = 0;
      double squares = 0;
      for (std::size_t i = 0; i < xs.size(); ++i) {
        const T yi = 2 * xs[i] - T(0.5) * ys[i];
        ASSERT_NEAR(y[static_cast<Index>(i)], yi, tolerance);
        ASSERT_NEAR(z[static_cast<Index>(i)], std::max(T(0), 3 * xs[i] * yi + T(0.25)), tolerance);
        total += static_cast<double>(xs[i]);
        squares += static_cast<double>(xs[i]) * static_cast<double>(xs[i]);
      }
      EXPECT_NEAR(sum(this->runtime_, x), total, 1e-4);
      EXPECT_NEAR(dot(this->runtime_, x, x), squares, 1e-4);
      EXPECT_NEAR(norm(this->runtime_, x), std::sqrt(squares), 1e-4);
    }
  }
}

TYPED_TEST(VectorFunctions, StayOnTheDeviceAndCountWhatTheyDo) {
  using T = TypeParam;
  if (this->spaces().size() < 2) GTEST_SKIP() << "there is no device for this precision";
  const Space device = Space::device(0);
  const Vector<T> x = vector_in<T>(this->runtime_, device, 1);
  Vector<T> y(size);
  copy(this->runtime_, x, y);
  EXPECT_FALSE(y.valid_in(Space::host()));
  fill(this->runtime_, 2, y);
  static_cast<void>(dot(this->runtime_, x, y));
  static_cast<void>(norm(this->runtime_, y));
  EXPECT_FALSE(y.valid_in(Space::host()));
  EXPECT_FALSE(x.valid_in(Space::host()));
  EXPECT_EQ(y[7], T(2));
}

TYPED_TEST(VectorFunctions, DoNotPassForTheHostsReadingAndWriting) {
  using T = TypeParam;
  const auto matrix = this->runtime_.matrix(generate<T>({.rows = size}));
  for (const Space space : this->spaces()) {
    matrix.pin({space, Format::Csr});
    Vector<T> x(size, T(1));
    Vector<T> y(size);
    for (int i = 0; i < 5; ++i) {
      matrix.multiply(x, y);
      static_cast<void>(norm(this->runtime_, y));
      axpby(this->runtime_, 0.5, y, 0.5, x);
    }
    EXPECT_TRUE(x.valid_in(space));
    EXPECT_EQ(x.outlook().habits.fresh_from_host, 0U) << name(space);
    EXPECT_EQ(y.outlook().habits.read_on_host, 0U) << name(space);
  }
}

TYPED_TEST(VectorFunctions, AVectorMayBeSeveralOperands) {
  using T = TypeParam;
  for (const Space space : this->spaces()) {
    Vector<T> x = vector_in<T>(this->runtime_, space, 3);
    const auto xs = random_vector<T>(size, 3);
    axpby(this->runtime_, 2, x, 0, x);
    axpby(this->runtime_, 1, x, 1, x);
    multiply_elements(this->runtime_, x, x, x);
    EXPECT_NEAR(x[11], T(16) * xs[11] * xs[11], 1e-4);
    EXPECT_EQ(x.valid_in(Space::host()), true);
  }
}

TYPED_TEST(VectorFunctions, NothingIsLostWhereADeviceIsSetAside) {
  using T = TypeParam;
  if (this->spaces().size() < 2) GTEST_SKIP() << "there is no device for this precision";
  Vector<T> x = vector_in<T>(this->runtime_, Space::device(0), 1);
  const auto xs = random_vector<T>(size, 1);
  this->runtime_.set_aside(Space::device(0), "for a test");
  scale(this->runtime_, 2, x);
  EXPECT_TRUE(x.valid_in(Space::host()));
  EXPECT_FALSE(x.valid_in(Space::device(0)));
  EXPECT_EQ(x[5], 2 * xs[5]);
}

TYPED_TEST(VectorFunctions, ADeviceWithoutRoomLeavesItToTheHost) {
  using T = TypeParam;
  if (this->spaces().size() < 2) GTEST_SKIP() << "there is no device for this precision";
  const Vector<T> x = vector_in<T>(this->runtime_, Space::device(0), 1);
  Vector<T> y = vector_in<T>(this->runtime_, Space::host(), 2);
  this->runtime_.executor(Space::device(0))->memory()->set_budget(0);
  const auto before = copied(y);
  set_log_level(LogLevel::Off);
  axpby(this->runtime_, 1, x, 1, y);
  set_log_level(LogLevel::Warning);
  EXPECT_TRUE(y.valid_in(Space::host()));
  EXPECT_EQ(y[3], x[3] + before[3]);
  EXPECT_EQ(this->runtime_.set_aside_reason(Space::device(0)), "");
}

TYPED_TEST(VectorFunctions, EmptyVectorsAndMismatches) {
  using T = TypeParam;
  Vector<T> none;
  Vector<T> zero(0);
  axpby(this->runtime_, 1, none, 1, zero);
  multiply_elements(this->runtime_, none, zero, none);
  fill(this->runtime_, 1, none);
  EXPECT_EQ(dot(this->runtime_, none, zero), T(0));
  EXPECT_EQ(norm(this->runtime_, none), T(0));
  Vector<T> three{1, 2, 3};
  const Vector<T> four(4);
  EXPECT_THROW(axpby(this->runtime_, 1, four, 0, three), Error);
  EXPECT_THROW(static_cast<void>(dot(this->runtime_, four, three)), Error);
  EXPECT_THROW(multiply_elements(this->runtime_, three, three, none), Error);
  EXPECT_EQ(copied(three), (std::vector<T>{1, 2, 3}));
}

TYPED_TEST(VectorFunctions, OldContentsThatAreOverwrittenAreNotRead) {
  using T = TypeParam;
  for (const Space space : this->spaces()) {
    const Vector<T> x = vector_in<T>(this->runtime_, space, 1);
    Vector<T> y(size, std::numeric_limits<T>::quiet_NaN());
    axpby(this->runtime_, 1, x, 0, y);
    EXPECT_FALSE(std::isnan(norm(this->runtime_, y)));
  }
}

TYPED_TEST(VectorFunctions, ManyThreadsShareWhatTheyRead) {
  using T = TypeParam;
  for (const Space space : this->spaces()) {
    const Vector<T> shared = vector_in<T>(this->runtime_, space, 1);
    const T expected = dot(this->runtime_, shared, shared);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        Vector<T> mine(size);
        for (int i = 0; i < 20; ++i) {
          copy(this->runtime_, shared, mine);
          scale(this->runtime_, 2, mine);
          if (dot(this->runtime_, shared, mine) != 2 * expected) ++wrong;
        }
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0) << name(space);
  }
}

TEST(VectorFunctionsOnTheHost, SettingAsideWhatIsNotThereIsAnError) {
  const Runtime runtime(host_only());
  EXPECT_THROW(runtime.set_aside(Space::device(0), "for a test"), Error);
  runtime.set_aside(Space::host(), "for a test");
  EXPECT_EQ(runtime.set_aside_reason(Space::host()), "");
}

}  // namespace
}  // namespace switchyard
