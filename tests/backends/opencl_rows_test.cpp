// Products with CSR matrices whose rows are of every length and kind, on an OpenCL device.
#include <thread>

#include "opencl_multiply_fixture.hpp"

namespace switchyard::opencl::testing {
namespace {

template <class T>
class OpenClRows : public OpenClMultiply<T> {};

TYPED_TEST_SUITE(OpenClRows, Elements);

TYPED_TEST(OpenClRows, AgreesOnUnevenRows) {
  // Empty rows at both ends and in the middle, and one dense row.
  const auto uneven = [](Index i, Index j) { return i == 500 || (i % 7 == 3 && (i + j) % 9 == 0); };
  TestFixture::expect_right(dense_where<TypeParam>(1001, 777, uneven));
  TestFixture::expect_right(dense_where<TypeParam>(300, 200, [](Index, Index) { return false; }));
}

TYPED_TEST(OpenClRows, AgreesOnRowsAroundATile) {
  for (const Index border : {merge_tile, 2 * merge_tile, stream_piece, 3 * stream_piece}) {
    for (const Index length : {border - 2, border - 1, border, border + 1}) {
      TestFixture::expect_right_rows({length}, 10000);
      TestFixture::expect_right_rows({length, 1, length, 0, length, 3}, 10000);
      TestFixture::expect_right_rows({0, 0, 5, length, 0, 0, length, 0}, 10000);
    }
  }
}

TYPED_TEST(OpenClRows, AgreesOnRowCountsAroundATile) {
  for (const Index border : {merge_tile / 2, merge_tile, stream_piece / 2, 4 * merge_tile}) {
    for (const Index rows : {border - 1, border, border + 1}) {
      for (const Index length : {0, 1, 3}) {
        TestFixture::expect_right_rows(std::vector<Index>(static_cast<std::size_t>(rows), length),
                                       50);
      }
    }
  }
}

TYPED_TEST(OpenClRows, AgreesWhereOneRowHoldsNearlyEverything) {
  constexpr Index huge = switchyard::testing::is_sampled ? 100003 : 200003;
  TestFixture::expect_right_rows({huge}, huge);
  std::vector<Index> lengths(5003, 3);
  for (const std::size_t at : {0U, 2500U, 5002U}) {
    auto with_huge = lengths;
    with_huge[at] = huge;
    TestFixture::expect_right_rows(with_huge, huge);
  }
}

// Rows that fill many tiles, which the last work-group puts together.
TYPED_TEST(OpenClRows, AgreesOnRowsOfManyTiles) {
  std::vector<Index> lengths;
  for (const Index tiles : {1, 2, 4, 31, 32, 33, 34, 127, 128, 129, 300}) {
    lengths.push_back(tiles * merge_tile - 1);
    lengths.push_back(tiles * merge_tile + 1);
  }
  TestFixture::expect_right_rows(lengths, 301 * merge_tile);
}

// More tiles than a work-group asks for at a time, and a number of them that its items do not share
// evenly.
TYPED_TEST(OpenClRows, AgreesOnARowOfMoreTilesThanAGroupAsksFor) {
  using T = TypeParam;
  constexpr Index asked_for = 128 * 4;
  constexpr Index cols = (asked_for + 52) * merge_tile;
  const Storage<T> host = with_lengths<T>({10, (asked_for + 9) * merge_tile, 0, 3}, cols, false);
  const std::vector<T> x = random_values<T>(cols, 7);
  const std::vector<T> y(4, std::numeric_limits<T>::quiet_NaN());
  const auto expected =
      reference_multiply<T>(host, T(1), std::span<const T>(x), T(0), std::span<const T>(y));
  for (const Variant<T>& variant : variants<T>()) {
    if (variant.name != "csr merge") continue;
    const std::vector<T> got = TestFixture::product(variant, host, T(1), x, T(0), y);
    EXPECT_LE(worst_error<T>(std::span<const ReferenceRow>(expected), std::span<const T>(got)),
              1.0);
  }
}

/// Whether the variant may keep data beside a copy: all of CSR, and the merge of csr8, which keeps
/// it by another array.
template <Element T>
bool may_keep_data(const Variant<T>& variant) {
  return !variant.wide && (variant.format == Format::Csr || variant.name == "csr8 merge");
}

/// y = A x for each x in turn, by a variant, with one copy of the matrix.
template <Element T>
void expect_right_in_turn(Device& device, const Variant<T>& variant, const Storage<T>& host,
                          const Storage<T>& matrix, unsigned seed) {
  const Index cols = cols_of(host);
  for (unsigned round = 0; round < 4; ++round) {
    const std::vector<T> x = random_values<T>(cols, seed + round);
    const Array<T> x_there = transferred(Array<T>::borrow(x), device.memory());
    Array<T> y(rows_of(host), device.memory());
    variant.run({device, matrix, T(1), x_there, T(0), y});
    const Array<T> got = transferred(y, plain_host_memory());
    const auto expected =
        reference_multiply<T>(host, T(1), std::span<const T>(x), T(0), std::span<const T>());
    EXPECT_LE(worst_error<T>(std::span<const ReferenceRow>(expected), got.span()), 1.0)
        << variant.name << ", round " << round;
  }
}

// What an earlier product on the same copy has left must not be taken for this one's.
TYPED_TEST(OpenClRows, ProductsInTurnOnOneCopyAreRight) {
  using T = TypeParam;
  for (const Variant<T>& variant : variants<T>()) {
    if (!may_keep_data(variant)) continue;
    const Storage<T> host =
        *TestFixture::with_rows({3, 9 * merge_tile, 0, 40, 2 * merge_tile}, 9000, variant);
    const Storage<T> matrix = transferred(host, this->memory());
    expect_right_in_turn<T>(this->device(), variant, host, matrix, 1);
  }
}

TYPED_TEST(OpenClRows, ThreadsMultiplyByOneCopyAtOnce) {
  using T = TypeParam;
  for (const Variant<T>& variant : variants<T>()) {
    if (!may_keep_data(variant)) continue;
    const Storage<T> host =
        *TestFixture::with_rows({3, 9 * merge_tile, 0, 40, 2 * merge_tile}, 9000, variant);
    const Storage<T> matrix = transferred(host, this->memory());
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t) {
      threads.emplace_back(
          [&, t] { expect_right_in_turn<T>(this->device(), variant, host, matrix, 10 * t); });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

// What is derived from a copy is charged beside it, made once, and goes with it.
TYPED_TEST(OpenClRows, WhatIsKeptBesideACopyGoesWithIt) {
  using T = TypeParam;
  for (const Variant<T>& variant : variants<T>()) {
    if (!may_keep_data(variant)) continue;
    const Storage<T> host =
        *TestFixture::with_rows({3, 9 * merge_tile, 0, 40, 2 * merge_tile}, 9000, variant);
    const std::size_t before = this->memory()->used();
    {
      const Storage<T> matrix = transferred(host, this->memory());
      const std::size_t without = this->memory()->used();
      expect_right_in_turn<T>(this->device(), variant, host, matrix, 1);
      const std::size_t with = this->memory()->used();
      EXPECT_LE(with - without, (without - before) / 20) << variant.name;
      expect_right_in_turn<T>(this->device(), variant, host, matrix, 1);
      EXPECT_EQ(this->memory()->used(), with) << variant.name;
    }
    EXPECT_EQ(this->memory()->used(), before) << variant.name;
  }
}

// The same buffers with other rows: nothing that was derived from the first may be used.
TYPED_TEST(OpenClRows, OverwrittenOffsetsAreLookedAtAgain) {
  using T = TypeParam;
  const Storage<T> first = with_lengths<T>({3, 5 * merge_tile, 0, 40, 2 * merge_tile}, 9000, false);
  const Storage<T> second =
      with_lengths<T>({2 * merge_tile, 1, 42, 5 * merge_tile, 0}, 9000, false);
  for (const Variant<T>& variant : variants<T>()) {
    if (variant.format != Format::Csr || variant.wide) continue;
    const Storage<T> matrix = transferred(first, this->memory());
    expect_right_in_turn<T>(this->device(), variant, first, matrix, 1);
    const auto overwrite = [&](const auto& to, const auto& from) {
      this->memory()->copy_in(to.handle(), 0, from.handle(), from.bytes());
    };
    const auto& to = std::get<Csr<T>>(matrix);
    const auto& from = std::get<Csr<T>>(second);
    overwrite(std::get<Array<std::int32_t>>(to.offsets),
              std::get<Array<std::int32_t>>(from.offsets));
    overwrite(to.columns, from.columns);
    overwrite(to.values, from.values);
    expect_right_in_turn<T>(this->device(), variant, second, matrix, 1);
  }
}

TYPED_TEST(OpenClRows, AgreesOnMostlyEmptyRows) {
  std::vector<Index> last(10007, 0);
  last.back() = 5000;
  TestFixture::expect_right_rows(last, 6000);
  std::vector<Index> alternate(10007);
  for (std::size_t i = 0; i < alternate.size(); ++i) alternate[i] = i % 2 == 0 ? 0 : 3;
  TestFixture::expect_right_rows(alternate, 6000);
}

TYPED_TEST(OpenClRows, AgreesOnRowsOfAllLengths) {
  std::vector<Index> lengths;
  std::mt19937_64 engine(5);
  constexpr int rows = switchyard::testing::is_sampled ? 500 : 1500;
  for (int i = 0; i < rows; ++i) {
    lengths.push_back(
        static_cast<Index>(std::pow(2.0, static_cast<double>(engine() % 1300) / 100)));
  }
  TestFixture::expect_right_rows(lengths, 9000);
}

}  // namespace
}  // namespace switchyard::opencl::testing
