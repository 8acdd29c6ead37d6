// Products with CSR matrices whose rows are of every length and kind, on an OpenCL device.
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
  constexpr Index huge = 1000003;
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

// More tiles than one work-group finishes; the long row goes on from the first of those that share
// the work to the second.
TYPED_TEST(OpenClRows, AgreesOnARowOfMoreTilesThanAGroupFinishes) {
  using T = TypeParam;
  constexpr Index finished_at_once = 2048;
  constexpr Index cols = (finished_at_once + 52) * merge_tile;
  const Storage<T> host =
      with_lengths<T>({10, finished_at_once * merge_tile + 5000, 0, 3}, cols, false);
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
  for (int i = 0; i < 4000; ++i) {
    lengths.push_back(
        static_cast<Index>(std::pow(2.0, static_cast<double>(engine() % 1300) / 100)));
  }
  TestFixture::expect_right_rows(lengths, 9000);
}

}  // namespace
}  // namespace switchyard::opencl::testing
