// A product in a loop: nothing is allocated once the first few are done.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <switchyard/switchyard.hpp>

#include "core/fixtures.hpp"

namespace {

// Of this thread alone: drivers have threads of their own, which tidy up when they like.
thread_local bool counting = false;
thread_local long allocations = 0;

void* counted(std::size_t bytes) {
  if (counting) ++allocations;
  if (void* const memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// All of the library's allocations, whatever it is linked from, come here.
void* operator new(std::size_t bytes) { return counted(bytes); }
void* operator new[](std::size_t bytes) { return counted(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace switchyard {
namespace {

/// Decides by the models alone: a time that surprises, as beside other programs, is worth a new
/// plan at once, and a plan allocates.
RuntimeOptions undisturbed(RuntimeOptions options = {}) {
  options.reproducible = true;
  return options;
}

/// How many allocations `call` makes per hundred, after a warm-up.
template <class Call>
long allocations_of(const Call& call) {
  for (int i = 0; i < 10; ++i) call();
  allocations = 0;
  counting = true;
  for (int i = 0; i < 100; ++i) call();
  counting = false;
  return allocations;
}

template <class T>
class SteadyLoop : public ::testing::Test {};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SteadyLoop, Elements);

TYPED_TEST(SteadyLoop, AllocatesNothingInAnyState) {
  using T = TypeParam;
  Runtime runtime(undisturbed());
  Vector<T> x(300, T(1));
  Vector<T> y(400);
  for (const auto& executor : runtime.executors()) {
    if (!executor->supports(precision_of<T>)) continue;
    for (const FormatFacts& facts : format_table) {
      const State state{executor->space(), facts.format};
      const Storage<T> dense =
          testing::recoded(testing::random_dense<T>(400, 300, 0.2, 1), facts.format);
      auto matrix = runtime.matrix(testing::in_format<T>(dense, Format::Csr));
      matrix.pin(state);
      // A device's first stopwatch is made when a product takes long enough to be timed, which is
      // late where other programs run. After it, nothing more.
      long least = allocations_of([&] { matrix.multiply(x, y); });
      if (least > 0) least = allocations_of([&] { matrix.multiply(x, y); });
      EXPECT_EQ(least, 0) << name(state);
      // What the driver itself allocates for commands in flight is not counted; waiting now and
      // then keeps it small.
      executor->finish();
    }
  }
}

TYPED_TEST(SteadyLoop, AllocatesNothingWhileTheDecisionHolds) {
  using T = TypeParam;
  Runtime runtime(undisturbed(testing::host_only()));
  auto matrix = runtime.matrix(Storage<T>(testing::random_dense<T>(400, 300, 0.2, 1)));
  const Vector<T> x(300, T(1));
  Vector<T> y(400);
  matrix.expect_calls(1000);
  EXPECT_EQ(allocations_of([&] { matrix.multiply(T(2), x, T(0.5), y); }), 0);
}

TYPED_TEST(SteadyLoop, OperationsOnVectorsAllocateNothing) {
  using T = TypeParam;
  Runtime runtime;
  for (const auto& executor : runtime.executors()) {
    if (!executor->supports(precision_of<T>)) continue;
    Vector<T> x(50'000, T(1));
    Vector<T> y(50'000, T(1));
    for (Vector<T>* vector : {&x, &y}) {
      static_cast<void>(vector->target_in(executor->memory(), true));
      vector->combined_in(executor->space());
    }
    const auto call = [&] {
      axpby(runtime, T(0.5), x, T(0.5), y);
      multiply_elements(runtime, x, y, y);
      scale(runtime, dot(runtime, x, y) > T(0) ? T(1) : T(2), x);
    };
    EXPECT_EQ(allocations_of(call), 0) << name(executor->space());
  }
}

TYPED_TEST(SteadyLoop, AllocatesNothingOnTheCallersOwnMemory) {
  using T = TypeParam;
  Runtime runtime(undisturbed(testing::host_only()));
  auto matrix = runtime.matrix(Storage<T>(testing::random_dense<T>(400, 300, 0.2, 1)));
  // A plan for all that is to come: without one, calls that have been seen may change it.
  matrix.expect_calls(1000);
  const std::vector<T> x(300, T(1));
  std::vector<T> y(400);
  const auto call = [&] { matrix.multiply(std::span<const T>(x), std::span<T>(y)); };
  EXPECT_EQ(allocations_of(call), 0);
}

}  // namespace
}  // namespace switchyard
