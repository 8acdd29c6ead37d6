// What is kept of released blocks, and what goes back to the system.
#include "host_blocks.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>

namespace switchyard {
namespace {

constexpr std::size_t smallest = std::size_t{2} << 20;

/// Whether there is memory at that place.
bool is_mapped(void* block) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return msync(block, page, MS_ASYNC) == 0;
}

TEST(HostBlocks, TheLongestKeptGoBackFirst) {
  drop_kept_blocks();
  std::array<void*, 40> blocks{};
  for (void*& block : blocks) block = take_block(smallest);
  for (void* const block : blocks) {
    ASSERT_NE(block, nullptr);
    EXPECT_TRUE(is_mapped(block));
    release_block(block, smallest);
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) EXPECT_EQ(is_mapped(blocks[i]), i >= 8) << i;
  drop_kept_blocks();
  for (void* const block : blocks) EXPECT_FALSE(is_mapped(block));
}

TEST(HostBlocks, AnEighthOfTheMachinesMemoryIsKeptAtMost) {
  drop_kept_blocks();
  const auto memory = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t half = block_size(memory / 16 + 1);
  const std::size_t too_large = block_size(memory / 8 + 1);
  void* const first = take_block(half);
  void* const second = take_block(half);
  void* const large = take_block(too_large);
  if (!first || !second || !large) GTEST_SKIP() << "there is not so much address space";
  release_block(first, half);
  EXPECT_TRUE(is_mapped(first));
  release_block(second, half);
  EXPECT_FALSE(is_mapped(first));
  EXPECT_TRUE(is_mapped(second));
  release_block(large, too_large);
  EXPECT_FALSE(is_mapped(large));
  EXPECT_TRUE(is_mapped(second));
  drop_kept_blocks();
}

TEST(HostBlocks, WhatIsMuchTooLargeIsNotUsedForLittle) {
  drop_kept_blocks();
  void* const large = take_block(8 * smallest);
  release_block(large, 8 * smallest);
  void* const small = take_block(smallest);
  EXPECT_NE(small, large);
  void* const half = take_block(4 * smallest);
  EXPECT_EQ(half, large) << "what is twice as large";
  EXPECT_FALSE(is_mapped(static_cast<char*>(large) + 4 * smallest)) << "the other half goes back";
  release_block(small, smallest);
  release_block(half, 4 * smallest);
  drop_kept_blocks();
}

TEST(HostBlocks, TheSmallestThatFitsIsTaken) {
  for (const bool smaller_first : {true, false}) {
    drop_kept_blocks();
    void* const five = take_block(5 * smallest);
    void* const six = take_block(6 * smallest);
    release_block(smaller_first ? five : six, (smaller_first ? 5 : 6) * smallest);
    release_block(smaller_first ? six : five, (smaller_first ? 6 : 5) * smallest);
    EXPECT_EQ(take_block(4 * smallest), five) << smaller_first;
    EXPECT_EQ(take_block(4 * smallest), six) << smaller_first;
    release_block(five, 4 * smallest);
    release_block(six, 4 * smallest);
  }
  drop_kept_blocks();
}

TEST(HostBlocks, ABlockThatShrankComesBackWhole) {
  drop_kept_blocks();
  void* const block = take_block(4 * smallest);
  shrink_block(block, 4 * smallest, 3 * smallest);
  release_block(block, 3 * smallest);
  EXPECT_EQ(take_block(4 * smallest), block);
  shrink_block(block, 4 * smallest, smallest);
  EXPECT_FALSE(is_mapped(static_cast<char*>(block) + smallest)) << "more than half is not kept";
  release_block(block, smallest);
  drop_kept_blocks();
}

}  // namespace
}  // namespace switchyard
