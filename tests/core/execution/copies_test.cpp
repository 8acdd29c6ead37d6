// The copies of a matrix: which goes first, and what a running call keeps.
#include "execution/copies.hpp"

#include <gtest/gtest.h>

#include <array>

#include "sharing.hpp"
#include "states.hpp"

namespace switchyard {
namespace {

using testing::csr_device;
using testing::csr_host;
using testing::dense_device;
using testing::dense_host;

/// One element, which tells the copies apart. Where they are is only a name here.
Storage<float> holding(float value) {
  return Dense<float>{1, 1, Array<float>(std::vector<float>{value})};
}
float value_of(const Storage<float>& storage) { return std::get<Dense<float>>(storage).values[0]; }

Copies<float> three_copies() {
  Copies<float> copies;
  copies.reset(dense_host, holding(1));
  copies.add(csr_device, holding(2), 7);
  copies.add(csr_host, holding(3), 5);
  return copies;
}

TEST(Copies, AreFoundByTheirState) {
  Copies<float> copies = three_copies();
  EXPECT_EQ(copies.states(), (std::vector{dense_host, csr_host, csr_device}));
  EXPECT_EQ(value_of(copies.find(csr_host)->storage()), 3);
  EXPECT_EQ(copies.find(dense_device), nullptr);
  EXPECT_TRUE(copies.has_outside(Space::host()));
  EXPECT_TRUE(copies.has_outside(Space::device(0)));
  EXPECT_TRUE(copies.lose(Space::device(0)));
  EXPECT_FALSE(copies.has_outside(Space::host()));
}

TEST(Copies, TheLeastRecentlyUsedIsSparedFirst) {
  Copies<float> copies = three_copies();
  copies.find(dense_host)->copy->last_used = 6;
  ASSERT_NE(copies.oldest_spare(Space::host()), nullptr);
  EXPECT_EQ(copies.oldest_spare(Space::host())->state, csr_host);
  copies.find(csr_host)->copy->last_used = 8;
  EXPECT_EQ(copies.oldest_spare(Space::host())->state, dense_host);
  EXPECT_EQ(copies.oldest_spare(Space::device(0))->state, csr_device);
  EXPECT_EQ(copies.oldest_spare(Space::device(1)), nullptr);
}

TEST(Copies, WhatAMoveNeedsIsNotSpared) {
  Copies<float> copies = three_copies();
  {
    const Copies<float>::Needed needed(copies, dense_host, csr_device);
    EXPECT_EQ(copies.oldest_spare(Space::host())->state, csr_host);
    EXPECT_EQ(copies.oldest_spare(Space::device(0)), nullptr);
  }
  EXPECT_EQ(copies.oldest_spare(Space::host())->state, dense_host);
}

TEST(Copies, TheLastIsNeitherSparedNorDropped) {
  Copies<float> copies;
  EXPECT_TRUE(copies.empty());
  copies.reset(dense_host, holding(1));
  EXPECT_EQ(copies.oldest_spare(Space::host()), nullptr);
  EXPECT_FALSE(copies.drop(dense_host));
  copies.add(csr_host, holding(2), 1);
  EXPECT_FALSE(copies.drop(dense_device)) << "there is none";
  EXPECT_TRUE(copies.drop(dense_host));
  EXPECT_FALSE(copies.lose(Space::host())) << "a device that is lost takes the last as well";
  EXPECT_TRUE(copies.empty());
}

TEST(Copies, WritingChangesTheOnlyCopyInPlace) {
  Copies<float> copies = three_copies();
  const Storage<float>* const before = &copies.find(dense_host)->storage();
  { const CopyInUse<float> finished(*copies.find(dense_host)->copy); }
  Storage<float>& storage = copies.keep_for_writing(dense_host, plain_host_memory());
  EXPECT_EQ(&storage, before) << "nothing is copied where nobody reads";
  EXPECT_EQ(copies.states(), std::vector{dense_host});
}

TEST(Copies, WritingLeavesARunningCallItsOldContents) {
  Copies<float> copies = three_copies();
  const auto planned = copies.find(dense_host)->copy;
  auto call = std::make_unique<CopyInUse<float>>(*planned);
  std::get<Dense<float>>(copies.keep_for_writing(dense_host, plain_host_memory())).values[0] = 9;
  EXPECT_EQ(value_of(planned->storage), 1);
  EXPECT_EQ(value_of(copies.find(dense_host)->storage()), 9);
  const Storage<float>* const now = &copies.find(dense_host)->storage();
  call.reset();
  EXPECT_EQ(&copies.keep_for_writing(dense_host, plain_host_memory()), now);
}

TEST(Copies, WritingLeavesARunningCallOnASiblingItsContents) {
  const State const_host{Space::host(), Format::CsrConst};
  const std::vector<Triplet<float>> ones{{0, 1, 1.0F}, {2, 0, 1.0F}, {2, 3, 1.0F}};
  auto csr = csr_from_triplets<float>(3, 4, ones);
  auto coded = Packed<float>::beside(csr, Format::CsrConst, plain_host_memory());
  coded.values[0] = 1;
  Copies<float> copies;
  copies.reset(csr_host, std::move(csr));
  copies.add(const_host, std::move(coded), 1);
  const auto planned = copies.find(const_host)->copy;
  const CopyInUse<float> call(*planned);
  auto& written = std::get<Csr<float>>(copies.keep_for_writing(csr_host, plain_host_memory()));
  written.values[1] = 9;
  EXPECT_EQ(copies.states(), std::vector{csr_host});
  const auto& read = std::get<Packed<float>>(planned->storage);
  testing::expect_shared(written, read);
  read.row(2, [](Column, float value) { EXPECT_EQ(value, 1); });
  copies.reset(dense_host, holding(1));
  EXPECT_EQ(read.offset(3), 3);
  EXPECT_EQ(read.column(2, 2), 3);
}

// Rows and columns that a caller has lent come back from a coded copy. After a write they may go.
TEST(Copies, WritingLeavesNothingBorrowed) {
  const std::vector<Triplet<float>> ones{{0, 1, 1.0F}, {2, 0, 1.0F}, {2, 3, 1.0F}};
  const auto lent = csr_from_triplets<float>(3, 4, ones);
  const auto& offsets = std::get<Array<std::int32_t>>(lent.offsets);
  const auto view = csr_view(3, 4, offsets.span(), lent.columns.span(), lent.values.span());
  auto coded = Packed<float>::beside(view, Format::CsrConst, plain_host_memory());
  coded.values[0] = 1;
  EXPECT_TRUE(coded.wide.borrowed());
  auto again = coded.csr_beside(plain_host_memory());
  EXPECT_FALSE(again.values.borrowed());
  EXPECT_TRUE(again.columns.borrowed());
  Copies<float> copies;
  copies.reset(csr_host, std::move(again));
  const auto& own = std::get<Csr<float>>(copies.keep_for_writing(csr_host, plain_host_memory()));
  EXPECT_FALSE(own.columns.borrowed());
  EXPECT_NE(testing::handle_of(own.offsets), testing::handle_of(lent.offsets));
  EXPECT_EQ(own.offset(3), 3);
  EXPECT_EQ(own.columns[2], 3);
}

TEST(Copies, WritingCopiesWhatIsBorrowed) {
  static constexpr std::array<float, 1> read_only{4};
  Copies<float> copies;
  copies.reset(dense_host, Dense<float>{1, 1, Array<float>::borrow(read_only)});
  std::get<Dense<float>>(copies.keep_for_writing(dense_host, plain_host_memory())).values[0] = 9;
  EXPECT_EQ(read_only[0], 4);
  EXPECT_EQ(value_of(copies.find(dense_host)->storage()), 9);
}

}  // namespace
}  // namespace switchyard
