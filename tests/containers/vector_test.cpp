// Coherence of a vector between the host and a space that is not the host's.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <switchyard/containers/vector.hpp>

namespace switchyard {
namespace {

/// A device's memory as a test can look into it, counting what is copied.
class FakeMemory final : public MemorySpace {
 public:
  explicit FakeMemory(int device = 0) : MemorySpace(Space::device(device)) {}
  void copy_in(void* allocation, std::size_t offset, const void* source,
               std::size_t bytes) override {
    ++copies_in;
    std::memcpy(static_cast<char*>(allocation) + offset, source, bytes);
  }
  void copy_out(void* destination, const void* allocation, std::size_t offset,
                std::size_t bytes) override {
    ++copies_out;
    std::memcpy(destination, static_cast<const char*>(allocation) + offset, bytes);
  }
  int copies_in = 0;
  int copies_out = 0;

 protected:
  void* do_allocate(std::size_t bytes) override { return std::malloc(bytes); }
  void do_release(void* allocation, std::size_t) noexcept override { std::free(allocation); }
};

/// Writes `value` everywhere, as a product in `memory` would.
void product_writes(Vector<float>& y, const std::shared_ptr<FakeMemory>& memory, float value) {
  Array<float>& target = y.target_in(memory, false);
  std::fill_n(static_cast<float*>(target.handle()), target.size(), value);
  y.written_in(memory->space());
}

TEST(Vector, TravelsOnlyWhenNeeded) {
  const auto memory = std::make_shared<FakeMemory>();
  Vector<float> x{1, 2, 3};
  static_cast<void>(x.in(memory));
  static_cast<void>(x.in(memory));
  EXPECT_EQ(memory->copies_in, 1);
  EXPECT_TRUE(x.valid_in(Space::host()));
  EXPECT_TRUE(x.valid_in(memory->space()));
  x.write()[0] = 5;
  EXPECT_FALSE(x.valid_in(memory->space()));
  EXPECT_EQ(*static_cast<float*>(x.in(memory).handle()), 5);
  EXPECT_EQ(memory->copies_in, 2);
  EXPECT_EQ(memory->copies_out, 0);
}

TEST(Vector, AResultStaysUntilItIsRead) {
  const auto memory = std::make_shared<FakeMemory>();
  Vector<float> y(3, 1);
  product_writes(y, memory, 7);
  EXPECT_FALSE(y.valid_in(Space::host()));
  EXPECT_EQ(memory->copies_out, 0);
  EXPECT_EQ(y[2], 7);
  EXPECT_EQ(y[1], 7);
  EXPECT_EQ(memory->copies_out, 1);
}

TEST(Vector, KeepsTheOldContentsWhereTheyAreNeeded) {
  const auto memory = std::make_shared<FakeMemory>();
  Vector<float> y(2, 4);
  EXPECT_EQ(*static_cast<float*>(y.target_in(memory, true).handle()), 4);
  EXPECT_TRUE(y.valid_in(Space::host()));
}

TEST(Vector, CopiesMovesAndLeaving) {
  const auto memory = std::make_shared<FakeMemory>();
  Vector<float> y(2, 4);
  product_writes(y, memory, 9);
  const Vector<float> copy = y;
  EXPECT_EQ(copy[0], 9);
  Vector<float> moved = std::move(y);
  EXPECT_EQ(moved[1], 9);
  product_writes(moved, memory, 3);
  moved.leave(memory->space());
  EXPECT_FALSE(moved.valid_in(memory->space()));
  EXPECT_EQ(moved[0], 3);
  EXPECT_EQ(memory->used(), 0U);
  moved = Vector<float>{1};
  EXPECT_EQ(moved.size(), 1);
}

TEST(Vector, MovedFromIsOnlyOnTheHost) {
  const auto memory = std::make_shared<FakeMemory>();
  Vector<float> y(2, 4);
  product_writes(y, memory, 9);
  Vector<float> taken;
  taken = std::move(y);
  EXPECT_EQ(y.size(), 0);
  EXPECT_EQ(y.outlook().valid_mask, 1U);
  EXPECT_FALSE(taken.valid_in(Space::host()));
  EXPECT_TRUE(taken.valid_in(memory->space()));
  y = Vector<float>{3};
  EXPECT_EQ(y[0], 3);
}

TEST(Vector, AssignedIsACopy) {
  Vector<float> x{1, 2, 3};
  Vector<float> other{4};
  other = x;
  x.write()[0] = 9;
  EXPECT_EQ(other.size(), 3);
  EXPECT_EQ(other.read()[0], 1);
  const Vector<float>& itself = other;
  other = itself;
  EXPECT_EQ(other.read()[2], 3);
}

TEST(Vector, HabitsAreCounted) {
  const auto memory = std::make_shared<FakeMemory>();
  Vector<float> v(2, 1);
  static_cast<void>(v.in_for_product(memory));
  static_cast<void>(v.in_for_product(memory));
  v.write()[0] = 2;
  static_cast<void>(v.in_for_product(memory));
  product_writes(v, memory, 3);
  product_writes(v, memory, 3);
  static_cast<void>(v.read());
  static_cast<void>(v.read());
  const VectorOutlook outlook = v.outlook();
  EXPECT_EQ(outlook.habits.products_read, 3U);
  EXPECT_EQ(outlook.habits.fresh_from_host, 1U);  // what it was made with is no rewriting
  EXPECT_EQ(outlook.habits.products_written, 2U);
  EXPECT_EQ(outlook.habits.read_on_host, 1U);
  EXPECT_EQ(outlook.valid_mask, 3U);
}

/// The habits in the order in which they are declared.
std::vector<std::uint64_t> habits_of(const Vector<float>& v) {
  const VectorHabits habits = v.outlook().habits;
  return {habits.products_written, habits.read_on_host, habits.products_read,
          habits.fresh_from_host};
}

/// A vector all of whose habits have been counted: 2, 2, 4 and 4 times, in the order of
/// `habits_of`.
Vector<float> much_used_vector(const std::shared_ptr<FakeMemory>& memory) {
  Vector<float> v(2, 1);
  for (int i = 0; i < 4; ++i) {
    v.write()[0] = 2;
    static_cast<void>(v.in_for_product(memory));
  }
  for (int i = 0; i < 2; ++i) {
    product_writes(v, memory, 3);
    static_cast<void>(v.read());
  }
  return v;
}

TEST(Vector, AMovedVectorTakesItsHabitsAlong) {
  const auto memory = std::make_shared<FakeMemory>();
  Vector<float> v = much_used_vector(memory);
  const auto before = habits_of(v);
  EXPECT_EQ(before, (std::vector<std::uint64_t>{2, 2, 4, 4}));
  Vector<float> moved = std::move(v);
  EXPECT_EQ(habits_of(moved), before);
  EXPECT_EQ(habits_of(v), std::vector<std::uint64_t>(4, 0));  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(v.size(), 0);
  EXPECT_EQ(v.outlook().valid_mask, 1U);
  EXPECT_TRUE(v.read().empty());
}

TEST(Vector, AnUnreadResultIsStillUnreadAfterAMove) {
  const auto memory = std::make_shared<FakeMemory>();
  Vector<float> y(2, 1);
  product_writes(y, memory, 7);
  const Vector<float> moved = std::move(y);
  static_cast<void>(y.read());  // NOLINT(bugprone-use-after-move): it has no result
  EXPECT_EQ(y.outlook().habits.read_on_host, 0U);
  static_cast<void>(moved.read());
  EXPECT_EQ(moved.outlook().habits.read_on_host, 1U);
}

TEST(Vector, WhatTheHostWroteIsStillFreshAfterAMove) {
  const auto memory = std::make_shared<FakeMemory>();
  Vector<float> x(2, 1);
  x.write()[0] = 5;
  const Vector<float> moved = std::move(x);
  x.rebind(moved.read());  // NOLINT(bugprone-use-after-move): other memory
  static_cast<void>(x.in_for_product(memory));
  EXPECT_EQ(x.outlook().habits.fresh_from_host, 0U);
  static_cast<void>(moved.in_for_product(memory));
  EXPECT_EQ(moved.outlook().habits.fresh_from_host, 1U);
}

TEST(Vector, OtherMemoryHasNoHabits) {
  const auto memory = std::make_shared<FakeMemory>();
  const std::vector<float> mine{1, 2};
  Vector<float> v = much_used_vector(memory);
  v.rebind(mine);
  EXPECT_EQ(habits_of(v), std::vector<std::uint64_t>(4, 0));
  product_writes(v, memory, 3);  // a result that nobody reads
  v.rebind(mine);
  static_cast<void>(v.read());
  EXPECT_EQ(v.outlook().habits.read_on_host, 0U);
  v.write()[0] = 4;  // what no product reads
  v.rebind(mine);
  static_cast<void>(v.in_for_product(memory));
  EXPECT_EQ(v.outlook().habits.fresh_from_host, 0U);
}

TEST(Vector, OtherMemoryOfTheSameSizeKeepsTheDevicesMemory) {
  const auto memory = std::make_shared<FakeMemory>();
  const std::vector<float> two{1, 2};
  const std::vector<float> three{1, 2, 3};
  Vector<float> v(2, 5);
  static_cast<void>(v.in(memory));
  v.rebind(two);
  EXPECT_EQ(memory->used(), 2 * sizeof(float));
  v.rebind(three);
  EXPECT_EQ(memory->used(), 0U);
  EXPECT_EQ(static_cast<const float*>(v.in(memory).handle())[2], 3);
}

TEST(Vector, LeavingAnInvalidCopyFreesItWithoutATransfer) {
  const auto memory = std::make_shared<FakeMemory>();
  Vector<float> x{1, 2};
  static_cast<void>(x.in(memory));
  x.write()[0] = 5;
  x.leave(memory->space());
  EXPECT_EQ(memory->used(), 0U);
  EXPECT_EQ(memory->copies_out, 0);
  x.leave(Space::host());      // stays
  x.leave(Space::device(40));  // was never there
  EXPECT_EQ(x[0], 5);
}

TEST(Vector, WhatCombinesItIsNoTravel) {
  const auto memory = std::make_shared<FakeMemory>();
  Vector<float> v(2, 1);
  v.write()[0] = 2;
  static_cast<void>(v.target_in(memory, true));
  v.combined_in(memory->space());
  EXPECT_FALSE(v.valid_in(Space::host()));
  static_cast<void>(v.in_for_product(memory));  // what the host wrote had travelled before
  v.write()[0] = 3;
  v.combined_in(Space::host());
  static_cast<void>(v.in_for_product(memory));  // what the host wrote is still to travel
  product_writes(v, memory, 3);
  v.combined_in(memory->space());
  static_cast<void>(v.read());
  const VectorHabits habits = v.outlook().habits;
  EXPECT_EQ(habits.fresh_from_host, 1U);
  EXPECT_EQ(habits.read_on_host, 1U);  // of a product's result, though it was combined since
}

TEST(Vector, StandsForTheCallersMemory) {
  const auto memory = std::make_shared<FakeMemory>();
  std::vector<float> mine{1, 2};
  Vector<float> y;
  y.rebind(mine);
  product_writes(y, memory, 8);
  static_cast<void>(y.read());
  EXPECT_EQ(mine, (std::vector<float>{8, 8}));
  std::vector<float> other{5, 6};
  y.rebind(other);
  EXPECT_EQ(y[1], 6);
  EXPECT_FALSE(y.valid_in(memory->space()));
}

TEST(Vector, AnotherRuntimesDeviceOfTheSameNumberIsNotMixedUp) {
  const auto first = std::make_shared<FakeMemory>();
  const auto second = std::make_shared<FakeMemory>();
  Vector<float> v(2, 1);
  product_writes(v, first, 6);
  const Array<float>& there = v.in(second);
  EXPECT_EQ(there.memory(), second);
  EXPECT_EQ(*static_cast<float*>(there.handle()), 6);
  EXPECT_EQ(v[0], 6);
}

TEST(Vector, ACopyStaysInPlaceWhileOthersAreAdded) {
  const auto first = std::make_shared<FakeMemory>(0);
  const auto second = std::make_shared<FakeMemory>(5);
  const Vector<float> x{1, 2};
  const Array<float>& on_host = x.in(plain_host_memory());
  const Array<float>& on_first = x.in(first);
  static_cast<void>(x.in(second));
  EXPECT_EQ(&on_host, &x.in(plain_host_memory()));
  EXPECT_EQ(&on_first, &x.in(first));
}

TEST(Vector, EmptyIsHarmless) {
  const auto memory = std::make_shared<FakeMemory>();
  Vector<double> none;
  EXPECT_TRUE(none.read().empty());
  EXPECT_TRUE(none.write().empty());
  Vector<double> zero(0);
  EXPECT_EQ(zero.in(memory).size(), 0);
  EXPECT_TRUE(zero.valid_in(memory->space()));
  EXPECT_EQ(memory->copies_in, 0);
}

}  // namespace
}  // namespace switchyard
