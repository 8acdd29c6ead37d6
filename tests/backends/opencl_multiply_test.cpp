// Every product on an OpenCL device against the long-double reference.
#include <cmath>
#include <thread>

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

template <Element T>
std::vector<Variant<T>> variants() {
  return {{"dense scalar", Format::Dense, false, &multiply_dense_scalar<T>},
          {"dense group", Format::Dense, false, &multiply_dense_group<T>},
          {"csr scalar", Format::Csr, false, &multiply_csr_scalar<T>},
          {"csr scalar, wide offsets", Format::Csr, true, &multiply_csr_scalar<T>},
          {"csr vector", Format::Csr, false, &multiply_csr_vector<T>},
          {"csr vector, wide offsets", Format::Csr, true, &multiply_csr_vector<T>}};
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
