// Packed CSR on a device: conversions and products, with offsets of either width.
#include <cmath>
#include <limits>
#include <optional>

#include "formats.hpp"
#include "opencl_fixture.hpp"
#include "sharing.hpp"

namespace switchyard::opencl::testing {
namespace {

template <class T>
class OpenClPacked : public OnDeviceOf<T> {};
TYPED_TEST_SUITE(OpenClPacked, Elements);

template <Element T>
Packed<T> heads_widened(Packed<T> matrix) {
  matrix.first_heads = widened_offsets(matrix.first_heads);
  return widened(std::move(matrix));
}

template <Element T>
Storage<T> tiles_of_all_kinds(bool wide) {
  Csr<T> csr = switchyard::testing::mixed_tiles<T>();
  if (wide) return widened(std::move(csr));
  return csr;
}

/// Rows of one element or none in tiles that are far apart, some of them empty: a stretch of
/// elements goes through several.
template <Element T>
Storage<T> short_rows_far_apart(bool wide) {
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < 64 * 40; ++i) {
    const Index tile = i / 64;
    if (tile % 5 < 3 && i % 7 != 0) triplets.push_back({i, tile * 70'000 + i % 50, T(i % 13 - 6)});
  }
  Csr<T> csr = csr_from_triplets<T>(64 * 40, 40 * 70'000, triplets);
  if (wide) return widened(std::move(csr));
  return csr;
}

TYPED_TEST(OpenClPacked, TilesOfAllKindsAreConvertedAndMultiplied) {
  using T = TypeParam;
  const auto& memory = this->memory();
  for (const auto& [make, wide] :
       {std::pair{&tiles_of_all_kinds<T>, false}, std::pair{&tiles_of_all_kinds<T>, true},
        std::pair{&short_rows_far_apart<T>, false}, std::pair{&short_rows_far_apart<T>, true}}) {
    const Storage<T> csr = make(wide);
    const Storage<T> there = transferred(csr, memory);
    const std::vector<T> x = random_values<T>(cols_of(csr), 4);
    const std::vector<T> y = random_values<T>(rows_of(csr), 5);
    const Array<T> x_there = this->on_device(x);
    const auto expected = reference_multiply<T>(csr, T(-2), x, T(0.5), y);
    for (const auto& conversion : convert_operations<T>()) {
      const bool packs =
          conversion.from == Format::Csr && columns_of(conversion.to) == ColumnCoding::Tiled16;
      if (conversion.backend != Backend::OpenCL || !packs) continue;
      const Storage<T> made = conversion.run(this->device(), there);
      Storage<T> here = transferred(made, plain_host_memory());
      EXPECT_NO_THROW(std::visit([](const auto& matrix) { matrix.check(); }, here));
      EXPECT_EQ(bytes_of(here), bytes_of(switchyard::testing::in_format<T>(csr, conversion.to)));
      if (wide) here = widened(std::move(std::get<Packed<T>>(here)));
      const Storage<T> packed = transferred(here, memory);
      const Storage<T> back = transferred(
          find_convert<T>(conversion.to, Format::Csr, Backend::OpenCL)->run(this->device(), packed),
          plain_host_memory());
      const auto elements = switchyard::testing::elements_by_row(csr);
      switchyard::testing::expect_elements(here, elements);
      switchyard::testing::expect_elements(back, elements);
      for (const auto& operation : multiply_operations<T>()) {
        if (operation.backend != Backend::OpenCL || operation.format != conversion.to) continue;
        Array<T> y_there = this->on_device(y);
        operation.run({this->device(), packed, T(-2), x_there, T(0.5), y_there});
        this->device().finish();
        const std::vector<T> got = this->on_host(y_there);
        EXPECT_LE(worst_error<T>(expected, got), 1) << operation.variant;
      }
    }
  }
}

/// Rows of 0 to 3000 elements, from full blocks to single elements far apart, and one of 80'000.
template <Element T>
Csr<T> blocks_of_all_kinds(Index cols) {
  std::vector<Triplet<T>> triplets;
  const auto add = [&](Index i, Index j) {
    triplets.push_back({i, j, T((i * 31 + j * 17) % 97 - 48) / T(16)});
  };
  for (Index i = 0; i < 130; ++i) {
    const Index stride = i % 5 == 0 ? 1 : i % 5 == 1 ? 30 : i % 5 == 2 ? 300 : 90'000;
    for (Index k = 0; k < i * 23 % 3001 && k * stride + i < cols && i % 5 != 4; ++k) {
      add(i, k * stride + i);
    }
  }
  for (Index k = 0; k < 80'000; ++k) add(64, k / 2 * 3 + k % 2 + 640);
  return csr_from_triplets<T>(130, cols, triplets);
}

TYPED_TEST(OpenClPacked, BlocksOfAllKindsAreConvertedAndMultiplied) {
  using T = TypeParam;
  const auto& memory = this->memory();
  for (const Index cols : {Index{400'000}, (Index{1} << 24) + 300}) {
    const Storage<T> csr = blocks_of_all_kinds<T>(cols);
    const std::vector<T> x = random_values<T>(cols, 4);
    const std::vector<T> y = random_values<T>(rows_of(csr), 5);
    const Array<T> x_there = this->on_device(x);
    const auto expected = reference_multiply<T>(csr, T(-2), x, T(0.5), y);
    for (const bool wide : {false, true}) {
      Storage<T> here = switchyard::testing::in_format<T>(csr, Format::Csr8);
      if (wide) here = heads_widened(std::move(std::get<Packed<T>>(here)));
      EXPECT_NO_THROW(std::visit([](const auto& matrix) { matrix.check(); }, here));
      const Storage<T> csr_there = transferred(csr, memory);
      const Storage<T> made =
          transferred(find_convert<T>(Format::Csr, Format::Csr8, Backend::OpenCL)
                          ->run(this->device(), csr_there),
                      plain_host_memory());
      EXPECT_NO_THROW(std::visit([](const auto& matrix) { matrix.check(); }, made));
      const Storage<T> packed = transferred(here, memory);
      const Storage<T> back = transferred(
          find_convert<T>(Format::Csr8, Format::Csr, Backend::OpenCL)->run(this->device(), packed),
          plain_host_memory());
      const auto elements = switchyard::testing::elements_by_row(csr);
      switchyard::testing::expect_elements(here, elements);
      switchyard::testing::expect_elements(back, elements);
      switchyard::testing::expect_elements(made, elements);
      for (const auto& operation : multiply_operations<T>()) {
        if (operation.backend != Backend::OpenCL || operation.format != Format::Csr8) continue;
        Array<T> y_there = this->on_device(y);
        operation.run({this->device(), packed, T(-2), x_there, T(0.5), y_there});
        this->device().finish();
        EXPECT_LE(worst_error<T>(expected, this->on_host(y_there)), 1) << operation.variant;
      }
    }
  }
}

// What a merge keeps beside csr8 is more than beside CSR, whose offsets csr8 shares.
TYPED_TEST(OpenClPacked, MergesOfMatricesThatShareOffsetsAreRight) {
  using T = TypeParam;
  const Storage<T> with_elements = blocks_of_all_kinds<T>(400'000);
  const Storage<T> without = csr_from_triplets<T>(130, 400'000, {});
  for (const Storage<T>* const host : {&with_elements, &without}) {
    const std::vector<T> x = random_values<T>(400'000, 4);
    const std::vector<T> y = random_values<T>(130, 5);
    const auto expected = reference_multiply<T>(*host, T(-2), x, T(0.5), y);
    const Array<T> x_there = this->on_device(x);
    const Storage<T> csr = transferred(*host, this->memory());
    const Storage<T> csr8 =
        find_convert<T>(Format::Csr, Format::Csr8, Backend::OpenCL)->run(this->device(), csr);
    for (const Storage<T>* const matrix : {&csr, &csr8, &csr}) {
      Array<T> y_there = this->on_device(y);
      find_multiply<T>(format_of(*matrix), Backend::OpenCL, "merge")
          ->run({this->device(), *matrix, T(-2), x_there, T(0.5), y_there});
      this->device().finish();
      EXPECT_LE(worst_error<T>(expected, this->on_host(y_there)), 1) << name(format_of(*matrix));
    }
  }
}

TYPED_TEST(OpenClPacked, WhatIsTheSameIsSharedWithCsr) {
  using T = TypeParam;
  const auto& memory = this->memory();
  const std::size_t none = memory->used();
  for (const auto& conversion : convert_operations<T>()) {
    const Format packed = conversion.from == Format::Csr ? conversion.to : conversion.from;
    const bool packs = facts_of(packed).shared_bytes != nullptr;
    if (conversion.backend != Backend::OpenCL || !packs) continue;
    const Storage<T> csr =
        switchyard::testing::recoded(switchyard::testing::mixed_tiles<T>(), packed);
    std::optional<Storage<T>> source(
        transferred(switchyard::testing::in_format<T>(csr, conversion.from), memory));
    const Storage<T> made = conversion.run(this->device(), *source);
    const bool from_csr = conversion.from == Format::Csr;
    switchyard::testing::expect_shared(std::get<Csr<T>>(from_csr ? *source : made),
                                       std::get<Packed<T>>(from_csr ? made : *source));
    source.reset();
    EXPECT_EQ(memory->used() - none, bytes_of(made)) << "what is not needed any more is freed";
    const Storage<T> back = transferred(made, plain_host_memory());
    const auto elements = switchyard::testing::elements_by_row(csr);
    switchyard::testing::expect_elements(back, elements);
  }
}

/// Rows of 0 to 99 elements, so that rows begin and end at all alignments. Every fourth has the
/// value NaN; all others have 2.
template <Element T>
Csr<T> rows_at_all_alignments() {
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < 300; ++i) {
    const T value = i % 4 == 3 ? std::numeric_limits<T>::quiet_NaN() : T(2);
    for (Index k = 0; k < i * 37 % 100; ++k) triplets.push_back({i, 7 * k + i % 7, value});
  }
  return csr_from_triplets<T>(300, 700, triplets);
}

/// What is read beyond a row together with it does not become part of its sum.
TYPED_TEST(OpenClPacked, RowsKeepTheirNeighboursOut) {
  using T = TypeParam;
  const Storage<T> csr = rows_at_all_alignments<T>();
  const Array<T> x = this->on_device(std::vector<T>(700, T(1)));
  for (const auto& operation : multiply_operations<T>()) {
    const bool packs = columns_of(operation.format) != ColumnCoding::Plain ||
                       coding_of(operation.format) == ValueCoding::Dictionary8;
    const bool codes = coding_of(operation.format) == ValueCoding::Constant;
    if (operation.backend != Backend::OpenCL || !packs || codes) continue;
    const Storage<T> packed =
        transferred(switchyard::testing::in_format<T>(csr, operation.format), this->memory());
    Array<T> y = this->on_device(std::vector<T>(300));
    operation.run({this->device(), packed, T(1), x, T(0), y});
    this->device().finish();
    const std::vector<T> got = this->on_host(y);
    for (Index i = 0; i < 300; ++i) {
      const Index length = i * 37 % 100;
      const T sum = got[static_cast<std::size_t>(i)];
      if (i % 4 == 3 && length > 0) {
        EXPECT_TRUE(std::isnan(sum)) << operation.variant << i;
      } else {
        EXPECT_EQ(sum, T(2 * length)) << operation.variant << i;
      }
    }
  }
}

}  // namespace
}  // namespace switchyard::opencl::testing
