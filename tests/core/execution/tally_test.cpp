// Counting finished calls without a lock: none is lost, none is taken twice.
#include "execution/tally.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace switchyard {
namespace {

TEST(Tally, GivesWhatWasAddedOnce) {
  Tally tally;
  EXPECT_EQ(tally.take(), 0);
  EXPECT_TRUE(tally.add());
  EXPECT_TRUE(tally.add());
  EXPECT_EQ(tally.take(), 2);
  EXPECT_EQ(tally.take(), 0);
  EXPECT_TRUE(tally.add());
  EXPECT_EQ(tally.close(), 1);
  EXPECT_FALSE(tally.add()) << "whoever comes late records it";
  EXPECT_FALSE(tally.add());
}

TEST(Tally, LosesNothingAmongThreads) {
  constexpr int calls = 20'000;
  Tally tally;
  std::atomic<Index> late{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < calls; ++i) {
        if (!tally.add()) ++late;
      }
    });
  }
  Index taken = 0;
  for (int i = 0; i < 1000; ++i) taken += tally.take();
  taken += tally.close();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(taken + late, 4 * calls);
}

}  // namespace
}  // namespace switchyard
