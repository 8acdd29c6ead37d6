// Skeletons on vectors, in every space, against plain loops.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <switchyard/switchyard.hpp>

#include "core/fixtures.hpp"

namespace switchyard {
namespace {

using testing::random_vector;

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
class Skeletons : public ::testing::Test {
 protected:
  std::vector<Space> spaces() { return testing::spaces_for<T>(runtime_); }
  Vector<T> in(Space space, const std::vector<T>& values) {
    return testing::vector_in<T>(runtime_, space, values);
  }
  Runtime runtime_{RuntimeOptions{}};
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Skeletons, Elements);

/// Sizes at the edges of chunks, blocks, work-groups and tiles.
constexpr std::array<Index, 12> sizes{1,    2,    7,    255,    256,    257,
                                      1792, 4096, 8193, 20'000, 70'001, 300'000};

/// Equal bits, any NaN for any other.
template <Element T>
void expect_same(const Vector<T>& found, const std::vector<T>& wanted) {
  ASSERT_EQ(found.size(), std::ssize(wanted));
  const auto values = found.read();
  const std::size_t i = testing::first_difference<T>(values, wanted);
  if (i == wanted.size()) return;
  EXPECT_EQ(values[i], wanted[i]) << "element " << i;
}

TYPED_TEST(Skeletons, MapIsTheLoop) {
  using T = TypeParam;
  const T factor = T(1.7);
  const auto f = [factor](auto a, auto b) {
    return where(fabs(a) > T(0.5), factor * a - b / T(3), sqrt(fabs(b)) + T(1));
  };
  for (const Index size : sizes) {
    const auto as = random_vector<T>(size, 1);
    const auto bs = random_vector<T>(size, 2);
    std::vector<T> wanted(as.size());
    std::ranges::transform(as, bs, wanted.begin(), f);
    for (const Space space : this->spaces()) {
      const Vector<T> a = this->in(space, as);
      const Vector<T> b = this->in(space, bs);
      Vector<T> out(size);
      map(this->runtime_, out, f, a, b);
      EXPECT_EQ(out.valid_in(Space::host()), space.is_host());
      expect_same(out, wanted);
    }
  }
}

TYPED_TEST(Skeletons, EveryOperationIsTheHosts) {
  using T = TypeParam;
  // Exact ones, whose bits are the same everywhere, NaN and infinities included.
  const auto exact = [](auto i, auto a, auto b) {
    const auto whole = floor(a) + ceil(b) * T(2) - (-a);
    const auto numbers = (i % 7 + i / 3) * 2 - 1;
    const auto truth = where((a < b && !(a <= T(0))) || a == b || a != a, T(1), T(2));
    return where(a >= b, min(a, b), max(b, a)) + whole * truth + as<T>(numbers) +
           where(a > b, 1, 0.5F);
  };
  std::vector<T> as = random_vector<T>(1000, 3);
  std::vector<T> bs = random_vector<T>(1000, 4);
  as[10] = T(infinity);
  as[11] = -T(infinity);
  as[12] = std::numeric_limits<T>::quiet_NaN();
  bs[13] = std::numeric_limits<T>::quiet_NaN();
  bs[10] = T(infinity);
  std::vector<T> wanted(as.size());
  for (std::size_t i = 0; i < as.size(); ++i) {
    wanted[i] = static_cast<T>(exact(static_cast<Index>(i), as[i], bs[i]));
  }
  // Those that are rounded as their library does.
  const auto rounded = [](auto a) {
    return exp(a) + log(fabs(a) + T(1)) + sin(a) * cos(a) + tanh(a) + pow(fabs(a), T(1.5));
  };
  for (const Space space : this->spaces()) {
    const Vector<T> a = this->in(space, as);
    const Vector<T> b = this->in(space, bs);
    Vector<T> out(1000);
    map(this->runtime_, out, exact, a, b);
    expect_same(out, wanted);
    EXPECT_EQ((recorded_form<T, 2>(exact).find("host only")), std::string::npos);
    map(this->runtime_, out, rounded, b);
    for (std::size_t i = 0; i < bs.size(); ++i) {
      if (!std::isfinite(bs[i])) continue;
      const T value = rounded(bs[i]);
      const T bound = T(64) * std::numeric_limits<T>::epsilon() * std::max(T(1), std::fabs(value));
      ASSERT_NEAR(out[static_cast<Index>(i)], value, bound);
    }
  }
}

TYPED_TEST(Skeletons, MixedPrecisionsAreAsInCpp) {
  using T = TypeParam;
  const auto f = [](auto a) { return 0.1 * a + 1.0F / 3 + 2 * a; };
  const auto as = random_vector<T>(500, 5);
  std::vector<T> wanted(as.size());
  std::ranges::transform(as, wanted.begin(), [&](T a) { return static_cast<T>(f(a)); });
  for (const Space space : this->spaces()) {
    Vector<T> a = this->in(space, as);
    map(this->runtime_, a, f, a);
    expect_same(a, wanted);
  }
}

TYPED_TEST(Skeletons, GenerateKnowsThePlace) {
  using T = TypeParam;
  const auto of_number = [](auto i) { return 3 * i + 1; };
  const auto of_place = [](auto row, auto column) { return row * 100 + column; };
  for (const Space space : this->spaces()) {
    Vector<T> vector = this->in(space, std::vector<T>(1000));
    generate(this->runtime_, vector, of_number);
    EXPECT_EQ(vector.valid_in(space), true);
    EXPECT_EQ(vector[999], T(2998));
    MultiVector<T> many(300, 7);
    many.elements() = this->in(space, std::vector<T>(2100));
    generate(this->runtime_, many, of_place);
    EXPECT_EQ(many(299, 6), T(29906));
    EXPECT_EQ(many(0, 1), T(1));
    map(
        this->runtime_, many, [](auto row, auto, auto value) { return value - as<T>(row); }, many);
    EXPECT_EQ(many(299, 6), T(29607));
  }
}

TYPED_TEST(Skeletons, WindowsEndAsTheEdgeSays) {
  using T = TypeParam;
  const auto f = [](auto x, auto y) { return x(-2) + 2 * x() - y(1) + y(11); };
  for (const Index size : sizes) {
    const auto xs = random_vector<T>(size, 6);
    const auto ys = random_vector<T>(size, 7);
    for (const Edge edge : {Edge::constant(1.5), Edge::nearest(), Edge::wrap()}) {
      const auto at = [&](const std::vector<T>& values, Index i) {
        if (edge.kind == Edge::Kind::Nearest) i = std::clamp<Index>(i, 0, size - 1);
        if (edge.kind == Edge::Kind::Wrap) i = ((i % size) + size) % size;
        return i < 0 || i >= size ? T(1.5) : values[static_cast<std::size_t>(i)];
      };
      std::vector<T> wanted(xs.size());
      for (Index i = 0; i < size; ++i) {
        wanted[static_cast<std::size_t>(i)] =
            at(xs, i - 2) + 2 * at(xs, i) - at(ys, i + 1) + at(ys, i + 11);
      }
      for (const Space space : this->spaces()) {
        const Vector<T> x = this->in(space, xs);
        const Vector<T> y = this->in(space, ys);
        Vector<T> out(size);
        map_overlap(this->runtime_, out, f, edge, x, y);
        expect_same(out, wanted);
      }
    }
  }
}

TYPED_TEST(Skeletons, FoldsAreTheLoop) {
  using T = TypeParam;
  const T limit = T(0.25);
  const auto over = [limit](auto a, auto b) { return where(a > limit, a * b, T(0)); };
  for (const Index size : sizes) {
    const auto as = random_vector<T>(size, 8);
    const auto bs = random_vector<T>(size, 9);
    long double total = 0;
    long double weight = 0;
    for (std::size_t i = 0; i < as.size(); ++i) {
      const T value = over(as[i], bs[i]);
      total += static_cast<long double>(value);
      weight += static_cast<long double>(std::fabs(value));
    }
    const double bound = static_cast<double>(weight) * 1e-13 +
                         std::fabs(static_cast<double>(total)) * std::numeric_limits<T>::epsilon();
    for (const Space space : this->spaces()) {
      const Vector<T> a = this->in(space, as);
      const Vector<T> b = this->in(space, bs);
      const T found = map_reduce(this->runtime_, over, fold::plus, a, b);
      EXPECT_NEAR(found, static_cast<double>(total), bound) << size;
      EXPECT_EQ(found, map_reduce(this->runtime_, over, fold::plus, a, b));
      EXPECT_EQ(reduce(this->runtime_, fold::min, a), std::ranges::min(as));
      EXPECT_EQ(reduce(this->runtime_, fold::max, a), std::ranges::max(as));
      const auto larger = fold::by([](auto p, auto q) { return max(p, q); }, -T(infinity));
      EXPECT_EQ(reduce(this->runtime_, larger, b), std::ranges::max(bs));
    }
  }
  const Vector<T> nothing;
  EXPECT_EQ(reduce(this->runtime_, fold::plus, nothing), T(0));
  EXPECT_EQ(reduce(this->runtime_, fold::times, nothing), T(1));
  EXPECT_EQ(reduce(this->runtime_, fold::min, nothing), T(infinity));
}

TYPED_TEST(Skeletons, ExtremesOfNaNAreNaN) {
  using T = TypeParam;
  std::vector<T> values = random_vector<T>(5000, 10);
  values[4321] = std::numeric_limits<T>::quiet_NaN();
  for (const Space space : this->spaces()) {
    const Vector<T> a = this->in(space, values);
    EXPECT_TRUE(std::isnan(reduce(this->runtime_, fold::min, a)));
    EXPECT_TRUE(std::isnan(reduce(this->runtime_, fold::max, a)));
  }
}

TYPED_TEST(Skeletons, ProductsAreFolded) {
  using T = TypeParam;
  std::vector<T> values(3000, T(1));
  values[17] = T(3);
  values[2999] = T(-0.5);
  for (const Space space : this->spaces()) {
    EXPECT_EQ(reduce(this->runtime_, fold::times, this->in(space, values)), T(-1.5));
  }
}

TYPED_TEST(Skeletons, PrefixesAreTheLoop) {
  using T = TypeParam;
  // The last number that is not zero: associative, and not commutative.
  const auto last = fold::by([](auto a, auto b) { return where(b != T(0), b, a); }, T(0));
  for (const Index size : sizes) {
    std::vector<T> values = random_vector<T>(size, 11);
    for (std::size_t i = 0; i < values.size(); i += 3) values[i] = T(0);
    std::vector<double> sums(values.size());
    std::vector<T> lasts(values.size());
    double sum = 0;
    T recent = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      sums[i] = sum += static_cast<double>(values[i]);
      lasts[i] = recent = values[i] != T(0) ? values[i] : recent;
    }
    for (const Space space : this->spaces()) {
      const Vector<T> in = this->in(space, values);
      Vector<T> out(size);
      scan(this->runtime_, fold::plus, out, in);
      const auto found = out.read();
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double bound = 1e-12 * static_cast<double>(size) +
                             std::fabs(sums[i]) * std::numeric_limits<T>::epsilon();
        ASSERT_NEAR(found[i], sums[i], bound) << size << ", element " << i;
      }
      Vector<T> in_place = this->in(space, values);
      scan(this->runtime_, last, in_place, in_place);
      expect_same(in_place, lasts);
    }
  }
}

// The host takes 128 blocks of 4096 elements at once.
TYPED_TEST(Skeletons, PrefixesGoOnFromOneStretchToTheNext) {
  using T = TypeParam;
  for (const Index size : {524'287, 524'288, 524'289, 1'048'576, 1'048'577}) {
    std::vector<T> values(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i % 5) - T(2);
    std::vector<T> wanted(values.size());
    std::partial_sum(values.begin(), values.end(), wanted.begin());
    Vector<T> apart(size);
    Vector<T> in_place{std::span<const T>(values)};
    scan(this->runtime_, fold::plus, apart, in_place);
    scan(this->runtime_, fold::plus, in_place, in_place);
    expect_same(apart, wanted);
    expect_same(in_place, wanted);
  }
}

TYPED_TEST(Skeletons, HostBitsDoNotDependOnThreads) {
  using T = TypeParam;
  RuntimeOptions options;
  options.devices = "none";
  options.threads = 1;
  const Runtime one(options);
  options.threads = 2;
  const Runtime two(options);
  const Vector<T> x{std::span<const T>(random_vector<T>(3'000'000, 12))};
  const auto square = [](auto a) { return a * a; };
  EXPECT_EQ(map_reduce(one, square, fold::plus, x), map_reduce(two, square, fold::plus, x));
  Vector<T> of_one(x.size());
  Vector<T> of_two(x.size());
  scan(one, fold::plus, of_one, x);
  scan(two, fold::plus, of_two, x);
  EXPECT_TRUE(std::ranges::equal(of_one.read(), of_two.read()));
}

TYPED_TEST(Skeletons, WhatCannotBeRecordedRunsOnTheHost) {
  using T = TypeParam;
  const auto branches = [](auto a) -> T {
    if (a > T(0)) return T(1);
    return T(-1);
  };
  const auto takes_numbers = [](T a) { return a + T(1); };
  const auto calls_std = [](auto a) { return std::sqrt(static_cast<T>(a)); };
  EXPECT_NE((recorded_form<T, 1>(branches).find("host only: it branches")), std::string::npos);
  EXPECT_NE((recorded_form<T, 1>(takes_numbers).find("host only: it needs a number")),
            std::string::npos);
  EXPECT_NE((recorded_form<T, 1>(calls_std).find("host only: it needs a number")),
            std::string::npos);
  for (const Space space : this->spaces()) {
    Vector<T> x = this->in(space, {T(-2), T(4)});
    map(this->runtime_, x, branches, x);
    expect_same<T>(x, {T(-1), T(1)});
    Vector<T> y = this->in(space, {T(-2), T(4)});
    map(this->runtime_, y, takes_numbers, y);
    expect_same<T>(y, {T(-1), T(5)});
    const auto by_branch = fold::by([](auto a, auto b) { return a < b ? b : a; }, -T(infinity));
    EXPECT_EQ(reduce(this->runtime_, by_branch, y), T(5));
  }
}

TEST(Recording, KnowsItsLimits) {
  const auto many = [](auto a) {
    auto sum = a * 1.0F;
    for (int i = 0; i < 20; ++i) sum = sum + a * static_cast<float>(i);
    return sum;
  };
  EXPECT_EQ((recorded_form<float, 1>(many)), "host only: it holds more than 16 numbers");
  const auto far = [](auto a) {
    auto sum = a + a;
    for (int i = 0; i < 70; ++i) sum = sum * a;
    return sum;
  };
  EXPECT_EQ((recorded_form<float, 1>(far)), "host only: it has more than 64 operations");
}

TEST(Recording, SaysWhatDevicesCompute) {
  const float half = 0.5F;
  const auto text = recorded_form<float, 1>([half](auto a) { return where(a > half, a, 0.0F); });
  EXPECT_EQ(text,
            "  const float n0 = in0[i];\n"
            "  const float n1 = constant0;\n"
            "  const int n2 = n1 < n0;\n"
            "  const float n3 = constant1;\n"
            "  const float n4 = n2 ? n0 : n3;\n"
            "  return n4;\n");
}

TEST(Recording, OtherNumbersAreTheSameKernel) {
  const auto scaled_by = [](float factor) {
    return recorded_form<float, 1>([factor](auto a) { return factor * a; });
  };
  EXPECT_EQ(scaled_by(2.0F), scaled_by(1.0F));
}

TEST(SkeletonErrors, LeaveOperandsAsTheyWere) {
  const Runtime runtime(testing::host_only());
  Vector<float> x{1, 2, 3};
  const Vector<float> y{1, 2};
  const auto add = [](auto a, auto b) { return a + b; };
  const auto code_of = [](const auto& act) {
    try {
      act();
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::Internal;
  };
  EXPECT_EQ(code_of([&] { map(runtime, x, add, x, y); }), ErrorCode::DimensionMismatch);
  EXPECT_EQ(code_of([&] { static_cast<void>(map_reduce(runtime, add, fold::plus, x, y)); }),
            ErrorCode::DimensionMismatch);
  EXPECT_EQ(code_of([&] { scan(runtime, fold::plus, x, y); }), ErrorCode::DimensionMismatch);
  EXPECT_EQ(code_of([&] {
              map_overlap(
                  runtime, x, [](auto w) { return w(1); }, Edge{}, x);
            }),
            ErrorCode::InvalidArgument);
  MultiVector<float> wide(2, 3);
  const MultiVector<float> high(3, 2);
  EXPECT_EQ(code_of([&] {
              map(
                  runtime, wide, [](auto a) { return a; }, high);
            }),
            ErrorCode::DimensionMismatch);
  expect_same<float>(x, {1, 2, 3});
}

}  // namespace
}  // namespace switchyard
