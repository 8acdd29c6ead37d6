// The host's loops over blocks, in each instruction set.
#include "openmp/block_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <switchyard/backends/reference.hpp>
#include <switchyard/containers/generate.hpp>

#include "formats.hpp"
#include "kernel_sets.hpp"

namespace switchyard {
namespace {

template <Element T>
std::vector<openmp::BlockKernels<T>> block_sets() {
  return testing::kernel_sets(&openmp::portable::block_kernels<T>, &openmp::avx2::block_kernels<T>,
                              openmp::best_block_kernels<T>());
}

/// y = 2 A x + beta y by a kernel; y is 3 before, or NaN if beta is 0.
template <Element T, class Offset>
std::vector<T> product(const openmp::BlockKernels<T>& kernels, const Bsr<T>& a,
                       std::span<const T> x, T beta) {
  const auto narrow = std::get<Array<std::int32_t>>(a.offsets).span();
  const std::vector<Offset> offsets(narrow.begin(), narrow.end());
  const Index last = (a.cols - 1) / a.block();
  std::vector<T> tail(4);
  std::copy(x.begin() + last * a.block(), x.end(), tail.begin());
  std::vector<T> y(static_cast<std::size_t>(a.rows),
                   beta == T{0} ? std::numeric_limits<T>::quiet_NaN() : T{3});
  const openmp::BlockRows<T, Offset> work{offsets.data(), a.columns.data(),
                                          a.masks.data(), a.values.data(),
                                          a.rows,         static_cast<std::int32_t>(last),
                                          tail.data(),    T(2),
                                          x.data(),       beta,
                                          y.data()};
  const auto& kernel = kernels.of_size[a.block() - 2];
  if constexpr (sizeof(Offset) == 4) {
    kernel.rows(work, 0, a.block_rows());
  } else {
    kernel.rows_wide(work, 0, a.block_rows());
  }
  return y;
}

template <Element T>
class BlockKernels : public ::testing::Test {};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BlockKernels, Elements);

TYPED_TEST(BlockKernels, AgreeWithTheReference) {
  using T = TypeParam;
  // Full blocks, some empty places, hardly any element; rows and columns of any remainder.
  for (const double density : {1.0, 0.9, 0.3, 0.02}) {
    for (const Index size : {1, 2, 3, 4, 5, 21, 83}) {
      const Storage<T> csr =
          generate<T>({.rows = size, .cols = size + 3, .density = density, .seed = 3});
      std::vector<T> x(static_cast<std::size_t>(size + 3));
      for (std::size_t j = 0; j < x.size(); ++j) x[j] = T(static_cast<int>(j * 7 % 23) - 11) / T(8);
      for (const Format format : {Format::Bsr2, Format::Bsr3, Format::Bsr4}) {
        const Storage<T> blocks = testing::in_format(csr, format);
        const auto& a = std::get<Bsr<T>>(blocks);
        for (const T beta : {T(0), T(0.5)}) {
          const std::vector<T> before(static_cast<std::size_t>(size), T(3));
          const auto expected = reference_multiply<T>(csr, T(2), x, beta, before);
          for (const auto& kernels : block_sets<T>()) {
            const auto y = product<T, std::int32_t>(kernels, a, x, beta);
            EXPECT_LE(worst_error<T>(expected, y), 1) << name(format) << " " << size;
            EXPECT_EQ((product<T, std::int64_t>(kernels, a, x, beta)), y);
          }
        }
      }
    }
  }
}

// Infinite elements of x meet places without an element in every block.
TYPED_TEST(BlockKernels, DoNotMultiplyWhatIsNotStored) {
  using T = TypeParam;
  constexpr Index size = 37;
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < size; ++i) {
    for (Index j = i % 2; j < size; j += 2) triplets.push_back({i, j, T(1)});
  }
  const Storage<T> csr = csr_from_triplets<T>(size, size, triplets);
  std::vector<T> x(size, T(1));
  for (std::size_t j = 1; j < size; j += 2) x[j] = std::numeric_limits<T>::infinity();
  for (const Format format : {Format::Bsr2, Format::Bsr3, Format::Bsr4}) {
    const Storage<T> blocks = testing::in_format(csr, format);
    for (const auto& kernels : block_sets<T>()) {
      const auto y = product<T, std::int32_t>(kernels, std::get<Bsr<T>>(blocks), x, T(0));
      for (std::size_t i = 0; i < size; ++i) {
        EXPECT_EQ(y[i], i % 2 == 0 ? T(2 * 19) : std::numeric_limits<T>::infinity()) << i;
      }
    }
  }
}

}  // namespace
}  // namespace switchyard
