// Where blocks end, also where the thread that should count one never does.
#include "openmp/block_ends.hpp"

#include <gtest/gtest.h>

namespace switchyard::openmp {
namespace {

Index never_asked(Index block) {
  ADD_FAILURE() << "block " << block << " was counted before";
  return 0;
}

TEST(BlockEnds, EachBlockBeginsWhereTheOneBeforeItEnds) {
  BlockEnds ends(3);
  EXPECT_EQ(ends.begin_of(0, 5, never_asked), 0);
  EXPECT_EQ(ends.begin_of(1, 0, never_asked), 5);
  EXPECT_EQ(ends.begin_of(2, 7, never_asked), 5);
  EXPECT_EQ(ends.end(), 12);
}

TEST(BlockEnds, ABlockThatItsThreadDoesNotCountIsCountedByWhoeverNeedsIt) {
  BlockEnds ends(4);
  EXPECT_EQ(ends.begin_of(0, 5, never_asked), 0);
  std::vector<Index> counted;
  const auto count = [&](Index block) {
    counted.push_back(block);
    return 10 * block;
  };
  EXPECT_EQ(ends.begin_of(3, 1, count), 5 + 10 + 20);
  EXPECT_EQ(counted, (std::vector<Index>{2, 1}));
  EXPECT_EQ(ends.end(), 36);
  EXPECT_EQ(ends.begin_of(1, 10, never_asked), 5) << "its thread comes late";
}

TEST(BlockEnds, NoBlocksEndAtTheBeginning) { EXPECT_EQ(BlockEnds(0).end(), 0); }

}  // namespace
}  // namespace switchyard::openmp
