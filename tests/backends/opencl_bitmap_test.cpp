// Products with bitmaps on a device whose teams go over several rows and blocks at once.
#include <limits>

#include "opencl_multiply_fixture.hpp"

namespace switchyard::opencl::testing {
namespace {

constexpr Index rows = 13;
constexpr Index cols = 2500;

template <class T>
class OpenClBitmap : public OpenClMultiply<T> {};
TYPED_TEST_SUITE(OpenClBitmap, Elements);

/// Rows that begin anywhere in 16 bytes, with full, empty and half full blocks of 1024 columns;
/// every row leaves out the columns that 5 divides. Even rows hold `in_even`.
template <Element T>
Csr<T> blocks_of_all_kinds(T in_even) {
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      const Index kind = (i + j / 1024) % 4;
      const bool is_stored = j % 5 != 0 && (kind == 0 || (kind == 1 && (i + j) % 3 == 0) ||
                                            (kind == 2 && j % 1024 == 1023 - i));
      if (is_stored) triplets.push_back({i, j, i % 2 == 0 ? in_even : T(1 + j % 7)});
    }
  }
  return csr_from_triplets<T>(rows, cols, triplets);
}

TYPED_TEST(OpenClBitmap, BlocksOfAllKindsWithOffsetsOfEitherWidth) {
  using T = TypeParam;
  const std::vector<T> x = random_values<T>(cols, 3);
  const std::vector<T> nan(rows, std::numeric_limits<T>::quiet_NaN());
  const std::vector<T> y = random_values<T>(rows, 4);
  int tried = 0;
  for (const Variant<T>& variant : this->all_variants()) {
    if (variant.format != Format::Bitmap) continue;
    ++tried;
    for (const bool wide : {false, true}) {
      auto bitmap = std::get<Bitmap<T>>(
          switchyard::testing::in_format<T>(blocks_of_all_kinds<T>(T(-2)), Format::Bitmap));
      if (wide) bitmap.offsets = widened_offsets(bitmap.offsets);
      const std::vector<typename TestFixture::Numbers> all{{T(1.5), T(0), nan},
                                                           {T(-1), T(0.25), y}};
      typename TestFixture::Problem made{std::move(bitmap), {}};
      this->expect_right_in(variant, made, x, all);
    }
  }
  EXPECT_EQ(tried, 3);
}

/// An infinity of x beside empty places alone, and infinities of other rows, reach no sum.
TYPED_TEST(OpenClBitmap, WhatIsNotStoredIsNotMultiplied) {
  using T = TypeParam;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  std::vector<T> x(cols, T(0.5));
  for (Index j = 0; j < cols; j += 5) x[static_cast<std::size_t>(j)] = infinity;
  const Csr<T> finite = blocks_of_all_kinds<T>(T(3));
  const Storage<T> host =
      switchyard::testing::in_format<T>(blocks_of_all_kinds<T>(infinity), Format::Bitmap);
  for (const Variant<T>& variant : this->all_variants()) {
    if (variant.format != Format::Bitmap) continue;
    const std::vector<T> got =
        this->product(variant, host, T(1), x, T(0), std::vector<T>(rows, infinity));
    for (Index i = 0; i < rows; ++i) {
      T expected = 0;
      for (Index k = finite.offset(i); k < finite.offset(i + 1); ++k) {
        expected += (i % 2 == 0 ? infinity : finite.values.data()[k]) * T(0.5);
      }
      EXPECT_EQ(got[static_cast<std::size_t>(i)], expected) << variant.name << ", row " << i;
    }
  }
}

}  // namespace
}  // namespace switchyard::opencl::testing
