// The host's folds and prefixes, in each instruction set.
#include "openmp/fold_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <switchyard/containers/array.hpp>
#include <vector>

#include "kernel_sets.hpp"

namespace switchyard {
namespace {

template <Element T>
std::vector<openmp::FoldKernels<T>> fold_sets() {
  return testing::kernel_sets(&openmp::portable::fold_kernels<T>, &openmp::avx2::fold_kernels<T>,
                              openmp::best_fold_kernels<T>());
}

/// One operation: its kernel in a set, and what it does to two numbers.
template <Element T>
struct Operation {
  const char* name;
  openmp::FoldKernel<T> openmp::FoldKernels<T>::*kernel;
  double (*of)(double, double);
  double identity;
};

template <Element T>
std::vector<Operation<T>> operations() {
  using Kernels = openmp::FoldKernels<T>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return {{"plus", &Kernels::plus, [](double a, double b) { return a + b; }, 0},
          {"times", &Kernels::times, [](double a, double b) { return a * b; }, 1},
          {"min", &Kernels::min, [](double a, double b) { return std::isnan(a) || a < b ? a : b; },
           infinity},
          {"max", &Kernels::max, [](double a, double b) { return std::isnan(a) || a > b ? a : b; },
           -infinity}};
}

/// Equal, both NaN, or apart by rounding.
template <Element T>
void expect_close(double found, double wanted) {
  if (std::isnan(wanted)) {
    EXPECT_TRUE(std::isnan(found));
  } else if (std::isinf(wanted)) {
    EXPECT_EQ(found, wanted);
  } else {
    EXPECT_NEAR(
        found, wanted,
        1e-12 * (1 + std::fabs(wanted)) + std::fabs(wanted) * std::numeric_limits<T>::epsilon());
  }
}

template <Element T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

template <Element T>
class FoldKernels : public ::testing::Test {
 protected:
  /// Checks one operation on these values, with a first number before them.
  static void check(const Operation<T>& operation, const std::vector<T>& values) {
    const auto count = static_cast<std::int64_t>(values.size());
    constexpr double before = 0.5;
    std::vector<double> wanted;
    double all = operation.identity;
    double prefix = before;
    for (const T value : values) {
      all = operation.of(all, static_cast<double>(value));
      wanted.push_back(prefix = operation.of(prefix, static_cast<double>(value)));
    }
    std::vector<T> first;
    std::optional<double> first_fold;
    for (const auto& set : fold_sets<T>()) {
      const openmp::FoldKernel<T>& kernel = set.*operation.kernel;
      const double fold = kernel.fold(values.data(), count);
      expect_close<T>(fold, all);
      if (!first_fold) first_fold = fold;
      EXPECT_TRUE(fold == *first_fold || std::isnan(all)) << "instruction sets differ";
      std::vector<T> found = values;
      kernel.scan(before, found.data(), count, found.data());
      Array<T> past(count);
      kernel.scan_past_caches(before, values.data(), count, past.data());
      EXPECT_TRUE(same_bits<T>(found, past.span()));
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        expect_close<T>(static_cast<double>(found[i]), wanted[i]);
      }
      if (first.empty()) first = found;
      EXPECT_TRUE(same_bits<T>(found, first)) << "instruction sets differ";
    }
  }
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FoldKernels, Elements);

TYPED_TEST(FoldKernels, AreTheLoopForEveryLength) {
  using T = TypeParam;
  for (const Operation<T>& operation : operations<T>()) {
    for (const Index size : {0, 1, 7, 8, 9, 31, 32, 33, 40, 71, 200}) {
      SCOPED_TRACE(operation.name + std::string(" of ") + std::to_string(size));
      std::mt19937 engine(1);
      std::uniform_real_distribution<T> value(-1, 1);
      std::vector<T> values(static_cast<std::size_t>(size));
      for (T& each : values) each = value(engine);
      this->check(operation, values);
    }
  }
}

TYPED_TEST(FoldKernels, KeepWhatIsNotFinite) {
  using T = TypeParam;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  for (const Operation<T>& operation : operations<T>()) {
    for (const std::size_t place : {0U, 5U, 40U, 68U}) {
      for (const T value : {std::numeric_limits<T>::quiet_NaN(), infinity, -infinity}) {
        SCOPED_TRACE(operation.name + std::string(" with ") + std::to_string(value));
        std::vector<T> values(70, T(1.5));
        values[place] = value;
        this->check(operation, values);
      }
    }
  }
}

}  // namespace
}  // namespace switchyard
