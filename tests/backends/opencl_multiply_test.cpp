// Every product on an OpenCL device against the long-double reference.
#include <cmath>
#include <limits>
#include <thread>

#include "opencl/device_memory.hpp"
#include "opencl/platforms.hpp"
#include "opencl/selection.hpp"
#include "opencl_multiply_fixture.hpp"

namespace switchyard::opencl::testing {
namespace {

TYPED_TEST_SUITE(OpenClMultiply, Elements);

// Around a work-item's, a scalar kernel's and a work-group's share, so that every tail is met.
TYPED_TEST(OpenClMultiply, AgreesOnShapesAroundEveryGroupSize) {
  std::size_t turn = 0;
  for (const Index rows : {1, 2, 15, 16, 17, 63, 64, 65, 255, 256, 257}) {
    for (const Index cols : {1, 3, 4, 31, 32, 33, 127, 260}) {
      TestFixture::expect_right(random_dense<TypeParam>(rows, cols, 0.4), turn++, 3);
    }
  }
}

TYPED_TEST(OpenClMultiply, AgreesOnLongRows) {
  for (const Index cols : {1023, 1024, 1025, 4096, 16384, 20001}) {
    TestFixture::expect_right(random_dense<TypeParam>(9, cols, 0.5));
  }
}

TYPED_TEST(OpenClMultiply, AgreesOnFewVeryLongRows) {
  for (const Index rows : {1, 2, 5}) {
    for (const Index cols : {Index{65536}, Index{100003}, Index{300000}}) {
      if (switchyard::testing::is_sampled && cols != 100003) continue;
      TestFixture::expect_right(random_dense<TypeParam>(rows, cols, 0.9));
    }
  }
}

TYPED_TEST(OpenClMultiply, AgreesOnTallMatrices) {
  for (const Index cols : {1, 2, 5}) {
    TestFixture::expect_right(random_dense<TypeParam>(20011, cols, 0.7));
    TestFixture::expect_right(random_dense<TypeParam>(1511, cols, 0.7));  // also by diagonals
  }
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
      if (switchyard::testing::is_sampled && rows == 4097 && cols % 2 == 0) continue;
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
  const auto queue = std::make_shared<InOrderQueue>(context, first);
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
    variant.run({own, matrix, T(1), x, T(0), y});
    own.finish();
    cl::UserEvent released(context);
    const std::vector<cl::Event> wait_for{released};
    queue->current().enqueueBarrierWithWaitList(&wait_for);
    for (int i = 0; i < 50; ++i) variant.run({own, matrix, T(1), x, T(1), y});
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
