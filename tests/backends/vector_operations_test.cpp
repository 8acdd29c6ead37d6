// Operations on vectors on every backend, against long double.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <switchyard/backends/opencl.hpp>
#include <switchyard/backends/openmp.hpp>
#include <switchyard/backends/vector_operations.hpp>

namespace switchyard {
namespace {

/// Around the sizes of vectors, work-groups, what a group takes, and the parts of a sum.
constexpr Index sizes[] = {0,   1,   2,    3,    15,   16,   17,   127,  128,  129,     255,    256,
                           257, 511, 1023, 1024, 1025, 4095, 4096, 4097, 8193, 100'003, 600'001};

template <Element T>
std::vector<T> random_values(Index size, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<T> values(static_cast<std::size_t>(size));
  for (T& v : values) v = static_cast<T>(value(engine));
  return values;
}

template <Element T>
std::vector<T> fetched(const Array<T>& array) {
  const Array<T> copy = transferred(array, plain_host_memory());
  return {copy.span().begin(), copy.span().end()};
}

/// x_i y_i added up in long double, and what rounding may make of it in any order in double.
struct ExactSum {
  long double value = 0;
  long double bound = 0;
};

template <Element T>
ExactSum exact_dot(const std::vector<T>& x, const std::vector<T>& y) {
  ExactSum sum;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double term = static_cast<long double>(x[i]) * static_cast<long double>(y[i]);
    sum.value += term;
    sum.bound += std::fabs(term);
  }
  sum.bound *= static_cast<long double>(x.size() + 1) * std::numeric_limits<double>::epsilon();
  return sum;
}

template <class T>
class VectorOperations : public ::testing::Test {
 protected:
  VectorOperations() : executors_(open_opencl_devices()) {
    std::erase_if(executors_, [](const auto& e) { return !e->supports(precision_of<T>); });
    executors_.insert(executors_.begin(), make_host_executor());
  }

  static void run(Executor& executor, Elementwise kind, const ElementwiseOperands<T>& operands) {
    const auto* const operation = find_elementwise<T>(kind, executor.backend());
    ASSERT_NE(operation, nullptr);
    operation->run(executor, operands);
  }
  static double reduced(Executor& executor, Reduction kind, const Array<T>& x, const Array<T>* y) {
    return find_reduction<T>(kind, executor.backend())->run(executor, x, y);
  }
  static Array<T> array_in(const Executor& executor, const std::vector<T>& values) {
    return transferred(Array<T>::borrow(values), executor.memory());
  }

  /// Expects z to be `expected(x_i, y_i, z_i)` but for `roundings` of them, and exactly NaN or
  /// infinite where that is.
  template <class Expected>
  void expect_elementwise(Elementwise kind, T a, T b, const std::vector<T>& x,
                          const std::vector<T>& y, const std::vector<T>& z,
                          const Expected& expected) {
    for (const auto& executor : executors_) {
      const Array<T> x_there = array_in(*executor, x);
      const Array<T> y_there = array_in(*executor, y);
      Array<T> z_there = array_in(*executor, z);
      run(*executor, kind, {.a = a, .b = b, .x = &x_there, .y = &y_there, .z = &z_there});
      const std::vector<T> got = fetched(z_there);
      ASSERT_EQ(got.size(), z.size());
      for (std::size_t i = 0; i < z.size(); ++i) {
        const auto [value, magnitude] =
            expected(static_cast<long double>(x[i]), static_cast<long double>(y[i]),
                     static_cast<long double>(z[i]));
        if (std::isnan(value)) {
          ASSERT_TRUE(std::isnan(got[i])) << i;
        } else if (std::isinf(value)) {
          ASSERT_EQ(got[i], static_cast<T>(value)) << i;
        } else {
          ASSERT_LE(std::fabs(static_cast<long double>(got[i]) - value),
                    2 * std::numeric_limits<T>::epsilon() * magnitude)
              << i << " of " << z.size() << " on " << name(executor->space());
        }
      }
    }
  }

  std::vector<std::shared_ptr<Executor>> executors_;
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(VectorOperations, Elements);

using Wide = long double;
using Result = std::pair<Wide, Wide>;  // the value, and what rounding is relative to

TYPED_TEST(VectorOperations, EachExistsOnEachBackend) {
  using T = TypeParam;
  EXPECT_EQ(elementwise_operations<T>().size(), 12U);
  EXPECT_EQ(reduce_operations<T>().size(), 4U);
  for (const auto& operation : elementwise_operations<T>()) {
    EXPECT_EQ(operation.program.empty(), operation.backend == Backend::OpenMP);
  }
}

TYPED_TEST(VectorOperations, ElementwiseOnesAreRightForEverySize) {
  using T = TypeParam;
  for (const Index size : sizes) {
    const auto x = random_values<T>(size, 1);
    const auto y = random_values<T>(size, 2);
    const auto z = random_values<T>(size, 3);
    const T a = T(-1.75);
    const T b = T(0.3);
    const Wide wide_b = static_cast<Wide>(b);
    const auto test = [&](Elementwise kind, T beta, const auto& expected) {
      this->expect_elementwise(kind, a, beta, x, y, z, expected);
    };
    test(Elementwise::Axpby, b, [&](Wide xi, Wide, Wide zi) {
      return Result(-1.75L * xi + wide_b * zi, 1.75L * std::fabs(xi) + std::fabs(wide_b * zi));
    });
    test(Elementwise::Axpby, T{0},
         [](Wide xi, Wide, Wide) { return Result(-1.75L * xi, 1.75L * std::fabs(xi)); });
    test(Elementwise::Scale, b,
         [](Wide, Wide, Wide zi) { return Result(-1.75L * zi, 1.75L * std::fabs(zi)); });
    test(Elementwise::Fill, b, [](Wide, Wide, Wide) { return Result(-1.75L, 0); });
    test(Elementwise::Add, b, [](Wide, Wide, Wide zi) { return Result(zi - 1.75L, 3); });
    test(Elementwise::Relu, b, [](Wide, Wide, Wide zi) { return Result(std::max(zi, 0.0L), 0); });
    test(Elementwise::Multiply, b,
         [](Wide xi, Wide yi, Wide) { return Result(xi * yi, std::fabs(xi * yi)); });
  }
}

TYPED_TEST(VectorOperations, SumsAreRightForEverySize) {
  using T = TypeParam;
  for (const Index size : sizes) {
    const auto x = random_values<T>(size, 4);
    const auto y = random_values<T>(size, 5);
    const std::vector<T> ones(x.size(), T{1});
    const ExactSum dot = exact_dot(x, y);
    const ExactSum sum = exact_dot(x, ones);
    for (const auto& executor : this->executors_) {
      const Array<T> x_there = this->array_in(*executor, x);
      const Array<T> y_there = this->array_in(*executor, y);
      const auto got = this->reduced(*executor, Reduction::Dot, x_there, &y_there);
      EXPECT_LE(std::fabs(got - dot.value), dot.bound) << size << name(executor->space());
      EXPECT_EQ(got, this->reduced(*executor, Reduction::Dot, x_there, &y_there));
      const auto plain = this->reduced(*executor, Reduction::Sum, x_there, nullptr);
      EXPECT_LE(std::fabs(plain - sum.value), sum.bound) << size << name(executor->space());
    }
  }
}

TYPED_TEST(VectorOperations, TheHostsSumDoesNotDependOnTheThreads) {
  using T = TypeParam;
  const Array<T> x = this->array_in(*this->executors_.front(), random_values<T>(600'001, 6));
  std::vector<double> sums;
  for (const int threads : {1, 2, 3, 7}) {
    const auto host = make_host_executor(threads);
    sums.push_back(this->reduced(*host, Reduction::Dot, x, &x));
    sums.push_back(this->reduced(*host, Reduction::Sum, x, nullptr));
  }
  for (std::size_t i = 2; i < sums.size(); ++i) EXPECT_EQ(sums[i], sums[i - 2]);
}

TYPED_TEST(VectorOperations, NaNAndInfinityComeThrough) {
  using T = TypeParam;
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const std::vector<T> x{nan, infinity, -infinity, T(0), T(-1)};
  const std::vector<T> z{T(1), -infinity, T(2), nan, T(-3)};
  const auto test = [&](Elementwise kind, T b, const auto& expected) {
    this->expect_elementwise(kind, T(2), b, x, z, z, expected);
  };
  test(Elementwise::Axpby, T(1), [](Wide xi, Wide, Wide zi) { return Result(2 * xi + zi, 5); });
  test(Elementwise::Axpby, T(0), [](Wide xi, Wide, Wide) { return Result(2 * xi, 5); });
  test(Elementwise::Relu, T(0), [](Wide, Wide, Wide zi) { return Result(zi < 0 ? 0 : zi, 0); });
  test(Elementwise::Multiply, T(0), [](Wide xi, Wide yi, Wide) { return Result(xi * yi, 5); });
  for (const auto& executor : this->executors_) {
    std::vector<T> values(5000, T(1));
    values[4321] = infinity;
    const Array<T> infinite = this->array_in(*executor, values);
    EXPECT_EQ(this->reduced(*executor, Reduction::Sum, infinite, nullptr),
              std::numeric_limits<double>::infinity());
    values[77] = nan;
    const Array<T> with_nan = this->array_in(*executor, values);
    EXPECT_TRUE(std::isnan(this->reduced(*executor, Reduction::Dot, with_nan, &with_nan)));
  }
}

TYPED_TEST(VectorOperations, OperandsMayBeTheSameArray) {
  using T = TypeParam;
  const auto start = random_values<T>(5001, 7);
  for (const auto& executor : this->executors_) {
    Array<T> z = this->array_in(*executor, start);
    this->run(*executor, Elementwise::Axpby, {.a = T(2), .b = T(1), .x = &z, .z = &z});
    this->run(*executor, Elementwise::Multiply, {.x = &z, .y = &z, .z = &z});
    const auto got = fetched(z);
    for (std::size_t i = 0; i < start.size(); ++i) {
      ASSERT_NEAR(got[i], T(9) * start[i] * start[i], T(20) * std::numeric_limits<T>::epsilon());
    }
  }
}

TYPED_TEST(VectorOperations, SumsOfFloatDoNotOverflowInDouble) {
  const std::vector<float> large(100, 1e30F);
  for (const auto& executor : this->executors_) {
    if (!executor->supports(Precision::Double)) continue;
    const Array<float> x = transferred(Array<float>::borrow(large), executor->memory());
    const double dot =
        find_reduction<float>(Reduction::Dot, executor->backend())->run(*executor, x, &x);
    EXPECT_NEAR(dot / 1e62, 1, 1e-6);
  }
}

}  // namespace
}  // namespace switchyard
