// x and y may share no memory: every way in which two pieces of memory can lie.
#include <gtest/gtest.h>

#include <switchyard/switchyard.hpp>

#include "containers/code_of.hpp"
#include "core/fixtures.hpp"

namespace switchyard {
namespace {

/// x is [20, 30) of one piece of memory; y of so many elements begins there.
struct Geometry {
  const char* what;
  Index begin;
  Index size;
  bool overlaps;
};

constexpr Index x_begin = 20;
constexpr Index x_size = 10;
const std::vector<Geometry> geometries{{"y ends before x begins", 5, 10, false},
                                       {"y ends where x begins", 10, 10, false},
                                       {"y ends one element into x", 15, 6, true},
                                       {"y ends with x", 15, 15, true},
                                       {"y holds x", 15, 20, true},
                                       {"y is x", 20, 10, true},
                                       {"y begins with x", 20, 5, true},
                                       {"y is held by x", 23, 4, true},
                                       {"y begins with the last of x", 29, 10, true},
                                       {"y begins where x ends", 30, 10, false},
                                       {"y begins after x ends", 35, 10, false}};

template <class T>
class Overlap : public ::testing::Test {};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Overlap, Elements);

TYPED_TEST(Overlap, IsRefusedInEveryGeometryAndState) {
  using T = TypeParam;
  const Runtime runtime{RuntimeOptions{}};
  for (const auto& executor : runtime.executors()) {
    if (!executor->supports(precision_of<T>)) continue;
    for (const FormatFacts& facts : format_table) {
      const State state{executor->space(), facts.format};
      for (const Geometry& geometry : geometries) {
        SCOPED_TRACE(name(state) + ": " + geometry.what);
        const auto make = [&] {
          return testing::recoded(testing::random_dense<T>(geometry.size, x_size, 0.5, 1),
                                  facts.format);
        };
        const auto dense = make();
        const auto matrix =
            runtime.matrix<T>(geometry.size, x_size, std::as_const(dense).values.span());
        matrix.pin(state);
        std::vector<T> memory = testing::random_vector<T>(50, 2);
        const auto before = memory;
        const std::span<T> all(memory);
        const auto x = all.subspan(x_begin, x_size);
        const auto y = all.subspan(std::size_t(geometry.begin), std::size_t(geometry.size));
        if (geometry.overlaps) {
          EXPECT_EQ(code_of([&] { matrix.multiply(std::span<const T>(x), y); }),
                    ErrorCode::InvalidArgument);
          EXPECT_EQ(memory, before);
          continue;
        }
        matrix.multiply(std::span<const T>(x), y);
        const Storage<T> storage = make();
        const auto expected = reference_multiply<T>(storage, T(1), x, T(0), {});
        EXPECT_LE(worst_error<T>(expected, std::span<const T>(y)), 1);
        EXPECT_TRUE(std::equal(x.begin(), x.end(), before.begin() + x_begin));
      }
    }
  }
}

TYPED_TEST(Overlap, OneVectorIsNoXAndY) {
  using T = TypeParam;
  const Runtime runtime{RuntimeOptions{}};
  for (const auto& executor : runtime.executors()) {
    if (!executor->supports(precision_of<T>)) continue;
    const auto matrix = runtime.matrix(testing::random_dense<T>(6, 6, 0.5, 1));
    matrix.pin({executor->space(), Format::Csr});
    Vector<T> x(6, T(2));
    Vector<T> y(6);
    matrix.multiply(x, y);  // so that x is where the product runs
    EXPECT_EQ(code_of([&] { matrix.multiply(x, x); }), ErrorCode::InvalidArgument);
    EXPECT_EQ(x[5], T(2));
  }
}

/// Nothing can be shared where there is nothing.
TEST(Overlap, EmptySpansOverlapNothing) {
  const Runtime runtime(testing::host_only());
  std::vector<float> memory(5, 3);
  const std::span<float> all(memory);
  const auto flat = runtime.matrix(Dense<float>::sized(0, 5));
  EXPECT_NO_THROW(flat.multiply(std::span<const float>(all), all.subspan(2, 0)));
  const auto thin = runtime.matrix(Dense<float>::sized(5, 0));
  thin.multiply(std::span<const float>(all.subspan(2, 0)), all);
  EXPECT_EQ(memory, std::vector<float>(5, 0));
}

}  // namespace
}  // namespace switchyard
