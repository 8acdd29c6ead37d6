// How threads and devices are divided by the ranks of a machine.
#include "shares.hpp"

#include <gtest/gtest.h>

namespace switchyard::petsc {
namespace {

Ranks ranks(int local, int locals, int processors) { return {local, local, locals, processors}; }

TEST(PetscShares, OneRankHasAllThreads) { EXPECT_EQ(share_of_threads(ranks(0, 1, 8), 8), 8); }

TEST(PetscShares, RanksDivideTheProcessors) {
  EXPECT_EQ(share_of_threads(ranks(1, 2, 8), 8), 4);
  EXPECT_EQ(share_of_threads(ranks(2, 3, 8), 8), 2);
}

TEST(PetscShares, ManyRanksHaveAThreadEach) { EXPECT_EQ(share_of_threads(ranks(3, 4, 2), 2), 1); }

TEST(PetscShares, FewerThreadsThanTheShareAreKept) {
  EXPECT_EQ(share_of_threads(ranks(0, 2, 64), 4), 4);
}

TEST(PetscShares, DevicesAreHandedOutInTurn) {
  const std::vector<int> positions{0, 1, 3};
  EXPECT_EQ(share_of_devices(ranks(0, 4, 8), positions).selection, "0");
  EXPECT_EQ(share_of_devices(ranks(2, 4, 8), positions).selection, "3");
  EXPECT_EQ(share_of_devices(ranks(3, 4, 8), positions).selection, "0");
}

TEST(PetscShares, SaysHowManyShareADevice) {
  const std::vector<int> positions{0, 1, 2};
  EXPECT_EQ(share_of_devices(ranks(0, 4, 8), positions).sharers, 2);
  EXPECT_EQ(share_of_devices(ranks(1, 4, 8), positions).sharers, 1);
  EXPECT_EQ(share_of_devices(ranks(3, 4, 8), positions).sharers, 2);
}

TEST(PetscShares, WithoutDevicesThereIsNoneToShare) {
  EXPECT_EQ(share_of_devices(ranks(1, 2, 8), {}).selection, "none");
}

TEST(PetscShares, TheProfileIsThatOfTheWholeMachine) {
  Session session;
  session.ranks = ranks(1, 2, 64);
  session.devices = "none";
  EXPECT_EQ(options_for(session).profile_threads, 64);
}

}  // namespace
}  // namespace switchyard::petsc
