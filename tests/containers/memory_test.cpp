// Budgets, arrays, and the facts of formats.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <switchyard/containers/formats.hpp>

#include "host_blocks.hpp"

namespace switchyard {
namespace {

ErrorCode code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::Internal;
}

TEST(MemorySpace, ChargesAndReturnsItsBudget) {
  const auto memory = std::make_shared<HostMemory>();
  memory->set_budget(100);
  {
    const Array<double> ten(10, memory);
    EXPECT_EQ(memory->used(), 80U);
    EXPECT_EQ(memory->available(), 20U);
    EXPECT_EQ(code_of([&] { const Array<double> more(3, memory); }), ErrorCode::OutOfMemory);
    EXPECT_EQ(memory->used(), 80U);
  }
  EXPECT_EQ(memory->used(), 0U);
}

TEST(MemorySpace, ImpossibleSizesAreRefusedBeforeAllocating) {
  constexpr Index huge = std::numeric_limits<Index>::max();
  EXPECT_EQ(code_of([] { const Array<double> array(huge / 4); }), ErrorCode::OutOfRange);
  EXPECT_EQ(code_of([] { const Array<double> array(-1); }), ErrorCode::OutOfRange);
  EXPECT_EQ(code_of([] { const Array<char> array(huge - 1); }), ErrorCode::OutOfMemory);
  for (const Index a : {Index{2147483648}, Index{4294967296}, huge}) {
    EXPECT_EQ(code_of([&] { static_cast<void>(Dense<double>::sized(a, huge)); }),
              ErrorCode::OutOfRange);
  }
}

TEST(Array, IsAlignedMovedAndTakenOver) {
  Array<float> array(5);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % 64, 0U);
  array[4] = 2;
  const float* const address = array.data();
  Array<float> moved = std::move(array);
  EXPECT_EQ(moved.data(), address);
  EXPECT_EQ(array.size(), 0);

  std::vector<float> values{1, 2, 3};
  const float* const kept = values.data();
  const auto memory = std::make_shared<HostMemory>();
  {
    Array<float> taken(std::move(values));
    EXPECT_EQ(taken.data(), kept);
    taken.charge_to(memory);
    EXPECT_EQ(memory->used(), 12U);
  }
  EXPECT_EQ(memory->used(), 0U);
}

TEST(Array, ChargedElsewhereGivesBackWhatItWasChargedBefore) {
  const auto first = std::make_shared<HostMemory>();
  const auto second = std::make_shared<HostMemory>();
  {
    Array<double> array(10, first);
    array.charge_to(second);
    EXPECT_EQ(first->used(), 0U);
    EXPECT_EQ(second->used(), 80U);
    array.charge_to(second);
    EXPECT_EQ(second->used(), 80U);
  }
  EXPECT_EQ(second->used(), 0U);
  Storage<double> matrix = Dense<double>{2, 5, Array<double>(10, first)};
  charge_to(matrix, second);
  EXPECT_EQ(first->used(), 0U);
  EXPECT_EQ(second->used(), 80U);
}

TEST(Array, MovedFromClaimsNothing) {
  const auto memory = std::make_shared<HostMemory>();
  const auto other = std::make_shared<HostMemory>();
  Array<double> array(10, memory);
  Array<double> assigned(3, other);
  assigned = std::move(array);
  EXPECT_EQ(other->used(), 0U);
  EXPECT_EQ(memory->used(), 80U);
  EXPECT_EQ(array.size(), 0);
  EXPECT_EQ(array.bytes(), 0U);
  EXPECT_EQ(array.handle(), nullptr);
  array.charge_to(other);
  EXPECT_EQ(other->used(), 0U);
}

TEST(Array, ShrinksToItsFirstElements) {
  const auto memory = std::make_shared<HostMemory>();
  for (const Index size : {1000, 3'000'000}) {         // from the heap, and in a block of its own
    for (const Index kept : {0, 7, 999, 2'900'000}) {  // not at all, much, little
      if (kept > size) continue;
      Array<std::int32_t> array(size, memory);
      for (Index i = 0; i < size; ++i) array[i] = static_cast<std::int32_t>(i);
      array.shrink(kept);
      EXPECT_EQ(array.size(), kept);
      EXPECT_EQ(memory->used(), static_cast<std::size_t>(kept) * 4);
      for (Index i = 0; i < kept; ++i) ASSERT_EQ(array[i], i);
    }
  }
  EXPECT_EQ(memory->used(), 0U);
}

TEST(Array, SharedMemoryIsChargedOnceAndFreedWithTheLast) {
  const auto memory = std::make_shared<HostMemory>();
  const auto other = std::make_shared<HostMemory>();
  std::optional<Array<double>> first(std::in_place, 10, memory);
  (*first)[9] = 7;
  Array<double> second = first->shared();
  EXPECT_EQ(second.data(), first->data());
  EXPECT_EQ(second.size(), 10);
  EXPECT_EQ(second.memory(), memory);
  EXPECT_EQ(memory->used(), 80U);
  second.charge_to(other);
  EXPECT_EQ(memory->used(), 0U);
  EXPECT_EQ(other->used(), 80U);
  const Array<double> third = second.shared();
  second = {};
  first.reset();
  EXPECT_EQ(other->used(), 80U);
  EXPECT_EQ(third[9], 7);
}

TEST(Array, SharedViewsAreViews) {
  const std::vector<float> values{1, 2, 3};
  const Array<float> view = Array<float>::borrow(values);
  const Array<float> again = view.shared();
  EXPECT_TRUE(again.borrowed());
  EXPECT_EQ(again.data(), values.data());
  EXPECT_EQ(again.size(), 3);
  EXPECT_EQ(Array<float>().shared().handle(), nullptr);
}

TEST(Array, WhatWasTakenOverShrinksToo) {
  const auto memory = std::make_shared<HostMemory>();
  Array<float> array(std::vector<float>{1, 2, 3});
  array.charge_to(memory);
  array.shrink(2);
  EXPECT_EQ(memory->used(), 8U);
  EXPECT_EQ(array[1], 2);
  array.shrink(0);
  EXPECT_EQ(memory->used(), 0U);
}

TEST(MemorySpace, LargeBlocksAreUsedAgain) {
  drop_kept_blocks();
  constexpr Index size = 10'000'000;
  const float* first = nullptr;
  {
    Array<float> array(size);
    first = array.data();
    array.shrink(size - 1'000'000);
  }
  const Array<float> again(size);
  EXPECT_EQ(again.data(), first);
  const Array<float> another(size);
  EXPECT_NE(another.data(), first);
}

TEST(Formats, BytesAreThoseOfTheArrays) {
  const std::vector<Triplet<double>> triplets{{0, 1, 2.0}, {2, 0, 3.0}};
  const Storage<double> csr = csr_from_triplets<double>(3, 4, triplets);
  const Structure structure = structure_of(std::get<Csr<double>>(csr));
  EXPECT_EQ(bytes_in(Format::Csr, structure, 8), static_cast<double>(bytes_of(csr)));
  const Storage<double> dense = Dense<double>::sized(3, 4);
  EXPECT_EQ(bytes_in(Format::Dense, structure, 8), static_cast<double>(bytes_of(dense)));
}

TEST(Formats, HaveTheirRowInTheTable) {
  for (std::size_t i = 0; i < format_table.size(); ++i) {
    const FormatFacts& facts = format_table[i];
    EXPECT_EQ(static_cast<std::size_t>(facts.format), i);
    EXPECT_EQ(parse_format(facts.name), facts.format);
    EXPECT_EQ(name(facts.format), facts.name);
    EXPECT_FALSE(facts.multiply_terms.empty());
    EXPECT_FALSE(facts.convert_terms.empty());
  }
}

TEST(Formats, ArraysThatDoNotFitAreRefused) {
  Dense<float> dense = Dense<float>::sized(2, 3);
  EXPECT_NO_THROW(dense.check());
  dense.cols = 4;
  EXPECT_EQ(code_of([&] { dense.check(); }), ErrorCode::InvalidArgument);
  const std::vector<Triplet<float>> triplets{{0, 1, 2.0F}, {1, 0, 3.0F}};
  auto csr = csr_from_triplets<float>(2, 2, triplets);
  EXPECT_NO_THROW(csr.check());
  std::get<0>(csr.offsets)[2] = 1;
  EXPECT_EQ(code_of([&] { csr.check(); }), ErrorCode::InvalidArgument);
  std::get<0>(csr.offsets)[2] = 2;
  std::get<0>(csr.offsets)[0] = 1;
  EXPECT_EQ(code_of([&] { csr.check(); }), ErrorCode::InvalidArgument);
  std::get<0>(csr.offsets)[0] = 0;
  csr.nnz = 1;
  EXPECT_EQ(code_of([&] { csr.check(); }), ErrorCode::InvalidArgument);
  csr.nnz = 2;
  csr.rows = 1;
  EXPECT_EQ(code_of([&] { csr.check(); }), ErrorCode::InvalidArgument);
}

// Parts of rows are what files are written by.
TEST(Formats, PartsOfRowsAreVisited) {
  const std::vector<Triplet<float>> triplets{{1, 0, 1.0F}, {1, 3, 2.0F}, {1, 4, 3.0F}};
  const auto csr = csr_from_triplets<float>(2, 5, triplets);
  std::vector<std::pair<Column, float>> seen;
  const auto visit = [&seen](Column column, float value) { seen.emplace_back(column, value); };
  csr.row(1, visit, 1, 2);
  EXPECT_EQ(seen, (std::vector<std::pair<Column, float>>{{3, 2.0F}}));
  csr.row(1, visit, 2);
  EXPECT_EQ(seen.back(), (std::pair<Column, float>{4, 3.0F}));
  seen.clear();
  csr.row(0, visit);
  EXPECT_TRUE(seen.empty());
}

TEST(Formats, TransferredIsACopy) {
  const std::vector<Triplet<float>> triplets{{0, 1, 2.0F}, {1, 0, 3.0F}};
  const Storage<float> csr = csr_from_triplets<float>(2, 2, triplets);
  const auto memory = std::make_shared<HostMemory>();
  const Storage<float> copy = transferred(csr, memory);
  const auto& matrix = std::get<Csr<float>>(copy);
  EXPECT_EQ(matrix.nnz, 2);
  EXPECT_EQ(matrix.offset(2), 2);
  EXPECT_EQ(matrix.columns[0], 1);
  EXPECT_EQ(matrix.values[1], 3.0F);
  EXPECT_EQ(memory->used(), bytes_of(copy));
}

TEST(States, AreOrderedBySpaceThenFormat) {
  const std::vector<std::string> names{"dense@host", "csr@host", "dense@device0", "csr@device0"};
  std::vector<State> states;
  for (const auto& text : names) {
    const auto state = parse_state(text);
    ASSERT_TRUE(state.has_value()) << text;
    EXPECT_EQ(name(*state), text);
    states.push_back(*state);
  }
  EXPECT_TRUE(std::ranges::is_sorted(states));
}

// Sets of spaces are the bits of 64: a device beyond would be another one's bit, or none's.
TEST(Spaces, NoMoreDevicesThanSetsOfSpacesHold) {
  EXPECT_EQ(parse_space("device62"), Space::device(62));
  EXPECT_EQ(Space::device(62).index(), 63);
  for (const auto* const text : {"device63", "device64", "device253", "device300"}) {
    EXPECT_FALSE(parse_space(text).has_value()) << text;
  }
  for (const int k : {-1, 63, 255, 300}) {
    EXPECT_EQ(code_of([k] { static_cast<void>(Space::device(k)); }), ErrorCode::OutOfRange) << k;
  }
}

TEST(States, WrongNamesAreNoStates) {
  for (const auto* const text : {"", "dense", "@", "dense@", "@host", "dense@hosts", "Dense@host",
                                 "csr@device", "csr@device-1", "csr@device01", "csr@device999",
                                 "csr@device0 ", "hash@host", "csr@host@host"}) {
    EXPECT_FALSE(parse_state(text).has_value()) << text;
  }
}

TEST(Error, IsOneLineWithPlaceAndHint) {
  const Error error(ErrorCode::ParseError, "no\nnumber", "a.mtx:3", "write one");
  EXPECT_STREQ(error.what(), "no number (a.mtx:3); write one");
  EXPECT_EQ(error.where(), "a.mtx:3");
  EXPECT_EQ(error.hint(), "write one");
  EXPECT_EQ(name(error.code()), "parse_error");
  EXPECT_STREQ(Error(ErrorCode::Internal, "bare").what(), "bare");
  EXPECT_EQ(Error(ErrorCode::Internal, "bare").hint(), "");
}

TEST(Numbers, NarrowIsChecked) {
  EXPECT_EQ(narrow<std::int32_t>(Index{7}), 7);
  EXPECT_THROW(static_cast<void>(narrow<std::int32_t>(Index{2147483648})), Error);
  EXPECT_THROW(static_cast<void>(checked_product(-1, 2)), Error);
  EXPECT_EQ(checked_product(1 << 20, 1 << 20), Index{1} << 40);
}

}  // namespace
}  // namespace switchyard
