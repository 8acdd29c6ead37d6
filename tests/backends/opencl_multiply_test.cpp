// Every product on an OpenCL device against the long-double reference.
#include <cmath>
#include <switchyard/backends/operations.hpp>
#include <thread>

#include "opencl/device_memory.hpp"
#include "opencl/platforms.hpp"
#include "opencl/selection.hpp"
#include "opencl_fixture.hpp"

namespace switchyard::opencl::testing {
namespace {

template <Element T>
using Run = void (*)(Executor&, const Storage<T>&, T, const Array<T>&, T, Array<T>&);

template <Element T>
struct Variant {
  std::string name;
  Format format;
  bool wide;
  Run<T> run;
};

/// Every product on OpenCL in the table; those of CSR with either width of offsets.
template <Element T>
std::vector<Variant<T>> variants() {
  std::vector<Variant<T>> found;
  for (const auto& operation : multiply_operations<T>()) {
    if (operation.backend != Backend::OpenCL) continue;
    const std::string name =
        std::string(switchyard::name(operation.format)) + " " + std::string(operation.variant);
    found.push_back({name, operation.format, false, operation.run});
    if (operation.format == Format::Csr) {
      found.push_back({name + ", wide offsets", operation.format, true, operation.run});
    }
  }
  return found;
}

/// A CSR matrix whose rows have these lengths, with the columns of each spread over all.
template <Element T>
Csr<T> with_lengths(const std::vector<Index>& lengths, Index cols, bool wide) {
  std::vector<std::int64_t> offsets{0};
  std::vector<Column> columns;
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    const Index length = lengths[row];
    const Index first = length < cols ? static_cast<Index>(row) % (cols - length) : 0;
    const Index step = length > 0 ? std::max<Index>(1, (cols - first) / length) : 1;
    for (Index k = 0; k < length; ++k) columns.push_back(static_cast<Column>(first + k * step));
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }
  Csr<T> csr{static_cast<Index>(lengths.size()), cols, offsets.back(), {}, {}, {}};
  csr.values = Array<T>(random_values<T>(csr.nnz, 21));
  csr.columns = Array<Column>(std::move(columns));
  if (wide) {
    csr.offsets = Array<std::int64_t>(std::move(offsets));
  } else {
    csr.offsets = Array<std::int32_t>(std::vector<std::int32_t>(offsets.begin(), offsets.end()));
  }
  return csr;
}

template <Element T>
Storage<T> in_format(const Dense<T>& dense, const Variant<T>& variant) {
  if (variant.format == Format::Csr) return compressed(dense, variant.wide);
  return Dense<T>{dense.rows, dense.cols, copy_of(dense.values.span())};
}

template <class T>
class OpenClMultiply : public OnDevice {
 protected:
  /// What one variant makes of alpha A x + beta y.
  static std::vector<T> product(const Variant<T>& variant, const Storage<T>& host, T alpha,
                                const std::vector<T>& x, T beta, const std::vector<T>& y) {
    const Storage<T> matrix = transferred(host, memory());
    const Array<T> x_there = on_device(x);
    Array<T> y_there = on_device(y);
    variant.run(device(), matrix, alpha, x_there, beta, y_there);
    device().finish();
    return on_host(y_there);
  }

  static void expect_right(const Dense<T>& dense, T alpha, const std::vector<T>& x, T beta,
                           const std::vector<T>& y) {
    for (const Variant<T>& variant : variants<T>()) {
      const Storage<T> host = in_format(dense, variant);
      const auto expected =
          reference_multiply<T>(host, alpha, std::span<const T>(x), beta, std::span<const T>(y));
      const std::vector<T> got = product(variant, host, alpha, x, beta, y);
      EXPECT_LE(worst_error<T>(std::span<const ReferenceRow>(expected), std::span<const T>(got)),
                1.0)
          << variant.name << ", " << dense.rows << " x " << dense.cols << ", alpha " << alpha
          << ", beta " << beta;
    }
  }

  /// A CSR matrix with rows of these lengths, by every variant that takes one.
  static void expect_right_rows(const std::vector<Index>& lengths, Index cols) {
    const std::vector<T> x = random_values<T>(cols, 7);
    const std::vector<T> y = random_values<T>(static_cast<Index>(lengths.size()), 8);
    const std::vector<T> nan(y.size(), std::numeric_limits<T>::quiet_NaN());
    for (const Variant<T>& variant : variants<T>()) {
      if (variant.format != Format::Csr) continue;
      const Storage<T> host = with_lengths<T>(lengths, cols, variant.wide);
      for (const T beta : {T(0), T(0.5)}) {
        const std::vector<T>& before = beta == 0 ? nan : y;
        const auto expected = reference_multiply<T>(host, T(-1.75), std::span<const T>(x), beta,
                                                    std::span<const T>(before));
        const std::vector<T> got = product(variant, host, T(-1.75), x, beta, before);
        EXPECT_LE(worst_error<T>(std::span<const ReferenceRow>(expected), std::span<const T>(got)),
                  1.0)
            << variant.name << ", " << lengths.size() << " rows, beta " << beta;
      }
    }
  }

  static void expect_right(const Dense<T>& dense) {
    const std::vector<T> x = random_values<T>(dense.cols, 7);
    const std::vector<T> y = random_values<T>(dense.rows, 8);
    expect_right(dense, T(1), x, T(0), y);
    expect_right(dense, T(-1.75), x, T(0.5), y);
  }

  void SetUp() override {
    OnDevice::SetUp();
    if (!this->IsSkipped() && !has<T>()) GTEST_SKIP() << "the device has no double precision";
  }
};

using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(OpenClMultiply, Elements);

// Around a work-item's, a scalar kernel's and a work-group's share, so that every tail is met.
TYPED_TEST(OpenClMultiply, AgreesOnShapesAroundEveryGroupSize) {
  for (const Index rows : {1, 2, 15, 16, 17, 63, 64, 65, 255, 256, 257}) {
    for (const Index cols : {1, 3, 4, 31, 32, 33, 127, 260}) {
      TestFixture::expect_right(random_dense<TypeParam>(rows, cols, 0.4));
    }
  }
}

TYPED_TEST(OpenClMultiply, AgreesOnLongRows) {
  for (const Index cols : {1023, 1024, 1025, 4096, 16384, 20001}) {
    TestFixture::expect_right(random_dense<TypeParam>(33, cols, 0.5));
  }
}

TYPED_TEST(OpenClMultiply, AgreesOnFewVeryLongRows) {
  for (const Index rows : {1, 2, 5}) {
    for (const Index cols : {Index{65536}, Index{100003}, Index{300000}}) {
      TestFixture::expect_right(random_dense<TypeParam>(rows, cols, 0.9));
    }
  }
}

TYPED_TEST(OpenClMultiply, AgreesOnTallMatrices) {
  for (const Index cols : {1, 2, 5}) {
    TestFixture::expect_right(random_dense<TypeParam>(20011, cols, 0.7));
  }
}

TYPED_TEST(OpenClMultiply, AgreesOnUnevenRows) {
  // Empty rows at both ends and in the middle, and one dense row.
  const auto uneven = [](Index i, Index j) { return i == 500 || (i % 7 == 3 && (i + j) % 9 == 0); };
  TestFixture::expect_right(dense_where<TypeParam>(1001, 777, uneven));
  TestFixture::expect_right(dense_where<TypeParam>(300, 200, [](Index, Index) { return false; }));
}

// A work-group's share of the merge path and of the stream, and what is next to them.
constexpr Index merge_tile = 256 * 9;
constexpr Index stream_piece = 256 * 8;

TYPED_TEST(OpenClMultiply, AgreesOnRowsAroundATile) {
  for (const Index border : {merge_tile, 2 * merge_tile, stream_piece, 3 * stream_piece}) {
    for (const Index length : {border - 2, border - 1, border, border + 1}) {
      TestFixture::expect_right_rows({length}, 10000);
      TestFixture::expect_right_rows({length, 1, length, 0, length, 3}, 10000);
      TestFixture::expect_right_rows({0, 0, 5, length, 0, 0, length, 0}, 10000);
    }
  }
}

TYPED_TEST(OpenClMultiply, AgreesOnRowCountsAroundATile) {
  for (const Index border : {merge_tile / 2, merge_tile, stream_piece / 2, 4 * merge_tile}) {
    for (const Index rows : {border - 1, border, border + 1}) {
      for (const Index length : {0, 1, 3}) {
        TestFixture::expect_right_rows(std::vector<Index>(static_cast<std::size_t>(rows), length),
                                       50);
      }
    }
  }
}

TYPED_TEST(OpenClMultiply, AgreesWhereOneRowHoldsNearlyEverything) {
  constexpr Index huge = 1000003;
  TestFixture::expect_right_rows({huge}, huge);
  std::vector<Index> lengths(5003, 3);
  for (const std::size_t at : {0U, 2500U, 5002U}) {
    auto with_huge = lengths;
    with_huge[at] = huge;
    TestFixture::expect_right_rows(with_huge, huge);
  }
}

// Where the summing of what tiles leave changes hands: from a few items to a whole group.
TYPED_TEST(OpenClMultiply, AgreesOnRowsOfManyTiles) {
  std::vector<Index> lengths;
  for (const Index tiles : {1, 2, 4, 31, 32, 33, 34, 127, 128, 129, 300}) {
    lengths.push_back(tiles * merge_tile - 1);
    lengths.push_back(tiles * merge_tile + 1);
  }
  TestFixture::expect_right_rows(lengths, 301 * merge_tile);
}

// More tiles than one work-group finishes; the long row goes on from the first of those that share
// the work to the second.
TYPED_TEST(OpenClMultiply, AgreesOnARowOfMoreTilesThanAGroupFinishes) {
  using T = TypeParam;
  const Index tile = Index{256} * 9;
  const Storage<T> host = with_lengths<T>({10, 2048 * tile + 5000, 0, 3}, 2100 * tile, false);
  const std::vector<T> x = random_values<T>(2100 * tile, 7);
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

TYPED_TEST(OpenClMultiply, AgreesOnMostlyEmptyRows) {
  std::vector<Index> last(10007, 0);
  last.back() = 5000;
  TestFixture::expect_right_rows(last, 6000);
  std::vector<Index> alternate(10007);
  for (std::size_t i = 0; i < alternate.size(); ++i) alternate[i] = i % 2 == 0 ? 0 : 3;
  TestFixture::expect_right_rows(alternate, 6000);
}

TYPED_TEST(OpenClMultiply, AgreesOnRowsOfAllLengths) {
  std::vector<Index> lengths;
  std::mt19937_64 engine(5);
  for (int i = 0; i < 4000; ++i) {
    lengths.push_back(
        static_cast<Index>(std::pow(2.0, static_cast<double>(engine() % 1300) / 100)));
  }
  TestFixture::expect_right_rows(lengths, 9000);
}

// An infinite alpha turns a sum of nothing into NaN: only rows without elements may have one.
TYPED_TEST(OpenClMultiply, AnInfiniteAlphaMeetsWholeSums) {
  constexpr auto infinity = std::numeric_limits<TypeParam>::infinity();
  for (const auto& variant : variants<TypeParam>()) {
    if (variant.format != Format::Csr) continue;
    const std::vector<Index> lengths{merge_tile - 1, merge_tile, merge_tile + 1, 3 * merge_tile, 1};
    Storage<TypeParam> matrix = with_lengths<TypeParam>(lengths, 8000, variant.wide);
    for (TypeParam& value : std::get<Csr<TypeParam>>(matrix).values.span()) value = 1;
    const auto got =
        TestFixture::product(variant, matrix, infinity, std::vector<TypeParam>(8000, 1), 1,
                             std::vector<TypeParam>(lengths.size(), 1));
    EXPECT_EQ(got, std::vector<TypeParam>(lengths.size(), infinity)) << variant.name;
  }
}

// Rows that start at every place within 16 bytes, and more rows than fill a tile.
TYPED_TEST(OpenClMultiply, AgreesOnManyShortDenseRows) {
  for (const Index cols : {1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 64, 100, 127, 128, 129}) {
    for (const Index rows : {1500, 4097}) {
      TestFixture::expect_right(random_dense<TypeParam>(rows, cols, 0.9));
    }
  }
}

TYPED_TEST(OpenClMultiply, AgreesOnRowsThatStartAnywhere) {
  for (const Index cols : {129, 130, 131, 257, 515, 1021, 2047, 4099}) {
    TestFixture::expect_right(random_dense<TypeParam>(9, cols, 0.9));
  }
}

// Commands that wait for an event of ours cannot be done; products that waited for them would never
// return.
TYPED_TEST(OpenClMultiply, ProductsAreAskedForWithoutWaiting) {
  using T = TypeParam;
  const FoundDevice found = find_devices().front();
  const cl::Device& first = found.device;
  const cl::Context context(first);
  const cl::CommandQueue queue(context, first);
  const ExecutorFacts facts = facts_of(first);
  Device own(facts, std::make_shared<DeviceMemory>(Space::device(0), context, queue, facts),
             context, queue, first, build_files_for(found.platform));
  if (!own.supports(precision_of<T>)) GTEST_SKIP() << "no double precision";
  const Dense<T> dense = random_dense<T>(301, 203, 0.3);
  const auto x_host = random_values<T>(203, 3);
  const auto x = transferred(Array<T>::borrow(x_host), own.memory());
  Array<T> y(301, own.memory());
  for (const auto& variant : variants<T>()) {
    const Storage<T> host = in_format(dense, variant);
    const Storage<T> matrix = transferred(host, own.memory());
    variant.run(own, matrix, T(1), x, T(0), y);
    own.finish();
    cl::UserEvent released(context);
    const std::vector<cl::Event> wait_for{released};
    queue.enqueueBarrierWithWaitList(&wait_for);
    for (int i = 0; i < 50; ++i) variant.run(own, matrix, T(1), x, T(1), y);
    released.setStatus(CL_COMPLETE);
    const Array<T> result = transferred(y, plain_host_memory());
    const auto once = reference_multiply<T>(host, T(51), x_host, T(0), {});
    for (Index i = 0; i < 301; ++i) {
      const auto& row = once[static_cast<std::size_t>(i)];
      EXPECT_NEAR(result[i], static_cast<double>(row.value),
                  1e-4 * static_cast<double>(row.magnitude) + 1e-6)
          << variant.name;
    }
  }
}

TYPED_TEST(OpenClMultiply, EmptyShapesScaleY) {
  const std::vector<TypeParam> y{TypeParam(1), TypeParam(-2), TypeParam(3)};
  const Dense<TypeParam> no_columns{3, 0, Array<TypeParam>(0)};
  for (const auto& variant : variants<TypeParam>()) {
    const auto host = in_format(no_columns, variant);
    const auto kept = TestFixture::product(variant, host, 2, {}, TypeParam(0.5), y);
    EXPECT_EQ(kept, (std::vector<TypeParam>{TypeParam(0.5), -1, TypeParam(1.5)})) << variant.name;
    const auto cleared = TestFixture::product(variant, host, 2, {}, 0, y);
    EXPECT_EQ(cleared, std::vector<TypeParam>(3, 0)) << variant.name;
  }
}

TYPED_TEST(OpenClMultiply, WithoutRowsNothingHappens) {
  const Dense<TypeParam> no_rows{0, 5, Array<TypeParam>(0)};
  for (const auto& variant : variants<TypeParam>()) {
    const auto host = in_format(no_rows, variant);
    EXPECT_TRUE(TestFixture::product(variant, host, 1, std::vector<TypeParam>(5, 1), 1, {}).empty())
        << variant.name;
  }
}

TYPED_TEST(OpenClMultiply, BetaZeroNeverReadsY) {
  const auto nan = std::numeric_limits<TypeParam>::quiet_NaN();
  const auto dense = random_dense<TypeParam>(40, 70, 0.3);
  const auto x = random_values<TypeParam>(70, 3);
  TestFixture::expect_right(dense, 1, x, 0, std::vector<TypeParam>(40, nan));
  // The split of very long rows takes another kernel.
  const auto wide = random_dense<TypeParam>(2, 200000, 0.3);
  TestFixture::expect_right(wide, 1, random_values<TypeParam>(200000, 3), 0,
                            std::vector<TypeParam>(2, nan));
}

TYPED_TEST(OpenClMultiply, SpecialValuesPropagate) {
  using Limits = std::numeric_limits<TypeParam>;
  const auto dense = random_dense<TypeParam>(50, 60, 1.0);
  const auto y = random_values<TypeParam>(50, 4);
  for (const TypeParam special : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    auto x = random_values<TypeParam>(60, 3);
    TestFixture::expect_right(dense, 1, x, special, y);
    TestFixture::expect_right(dense, special, x, 1, y);
    x[41] = special;
    TestFixture::expect_right(dense, 1, x, 1, y);
    auto with_special = random_dense<TypeParam>(50, 60, 1.0);
    with_special.values[17 * 60 + 5] = special;
    TestFixture::expect_right(with_special, 2, random_values<TypeParam>(60, 3), 0, y);
  }
}

TYPED_TEST(OpenClMultiply, DenormalsAreWithinTheBound) {
  auto dense = random_dense<TypeParam>(20, 100, 1.0);
  for (TypeParam& value : dense.values.span()) value *= std::numeric_limits<TypeParam>::min();
  TestFixture::expect_right(dense);
}

TYPED_TEST(OpenClMultiply, GivesTheSameBitsEveryTime) {
  const auto dense = random_dense<TypeParam>(130, 3001, 0.6);
  const auto x = random_values<TypeParam>(3001, 5);
  const auto y = random_values<TypeParam>(130, 6);
  for (const auto& variant : variants<TypeParam>()) {
    const auto host = in_format(dense, variant);
    const auto first = TestFixture::product(variant, host, 3, x, 2, y);
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(same_bits(first, TestFixture::product(variant, host, 3, x, 2, y)))
          << variant.name;
    }
  }
}

// One cl_kernel shared between threads mixes up arguments unless it is guarded, and so does one
// scratch array between launches.
TYPED_TEST(OpenClMultiply, ManyThreadsOnOneDevice) {
  const auto square = random_dense<TypeParam>(120, 130, 0.5);
  const auto wide = random_dense<TypeParam>(2, 70001, 0.5);
  std::vector<std::thread> threads;
  std::vector<int> wrong(8, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (unsigned round = 0; round < 12; ++round) {
        const auto& dense = (t + round) % 2 == 0 ? square : wide;
        const auto variant = variants<TypeParam>()[(t + round) % variants<TypeParam>().size()];
        const auto x = random_values<TypeParam>(dense.cols, static_cast<unsigned>(t) * 100 + round);
        const std::vector<TypeParam> y(static_cast<std::size_t>(dense.rows), 1);
        const auto host = in_format(dense, variant);
        const auto expected = reference_multiply<TypeParam>(host, 1, std::span<const TypeParam>(x),
                                                            1, std::span<const TypeParam>(y));
        const auto got = TestFixture::product(variant, host, 1, x, 1, y);
        wrong[t] += worst_error<TypeParam>(std::span<const ReferenceRow>(expected),
                                           std::span<const TypeParam>(got)) <= 1.0
                        ? 0
                        : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8, 0));
}

}  // namespace
}  // namespace switchyard::opencl::testing
