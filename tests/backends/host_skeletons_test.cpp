// The host's skeletons where a runtime does not reach: results larger than the caches, on any
// machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <switchyard/backends/openmp.hpp>
#include <switchyard/core/user_folds.hpp>
#include <vector>

#include "openmp/skeletons.hpp"
#include "without_caches.hpp"

namespace switchyard {
namespace {

/// The prefixes of `values`.
template <Element T, class Op>
std::vector<T> prefixes(Executor& host, const Op& op, const std::vector<T>& values) {
  const Array<T> in{std::vector<T>(values)};
  Array<T> out(in.size());
  openmp::scan<T>(host, skeleton::user_fold<T>(op), nullptr, in, out);
  return {out.span().begin(), out.span().end()};
}

template <class T>
class HostSkeletons : public ::testing::Test {
 protected:
  std::shared_ptr<Executor> host_ = make_host_executor();
  testing::WithoutCaches without_caches_{*host_};
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(HostSkeletons, Elements);

// One, a block, several of them, more than are taken together, and what is left of each.
TYPED_TEST(HostSkeletons, PrefixesThatGoPastTheCachesAreTheSame) {
  using T = TypeParam;
  for (const std::size_t size : {0U, 1U, 7U, 4096U, 4099U, 70'001U, 1'100'003U}) {
    SCOPED_TRACE(size);
    std::vector<T> values(size);
    for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<T>((i * 7) % 11) - 5;
    std::vector<T> sums(size);
    std::vector<T> most(size);
    // Sums of so few small numbers are exact in float, too.
    std::partial_sum(values.begin(), values.end(), sums.begin());
    std::partial_sum(values.begin(), values.end(), most.begin(),
                     [](T a, T b) { return std::max(a, b); });
    for (Executor* const host :
         {this->host_.get(), static_cast<Executor*>(&this->without_caches_)}) {
      EXPECT_EQ(prefixes<T>(*host, fold::plus, values), sums);
      EXPECT_EQ(prefixes<T>(*host, fold::max, values), most);
    }
  }
}

TYPED_TEST(HostSkeletons, PrefixesOfProductsOverflowOnlyWhereTheyAreTooLarge) {
  using T = TypeParam;
  constexpr auto large = static_cast<T>(sizeof(T) == sizeof(float) ? 1e30 : 1e200);
  const std::vector<T> values{1 / large, large, large, 1 / large, 0, large, large, large, large};
  std::vector<T> products(values.size());
  std::partial_sum(values.begin(), values.end(), products.begin(), std::multiplies<>());
  const std::vector<T> found = prefixes<T>(*this->host_, fold::times, values);
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(found[i] / large, products[i] / large, 1e-6);
}

}  // namespace
}  // namespace switchyard
