// What one matrix tells the next of a busy machine.
#include "recently_spent.hpp"

#include <gtest/gtest.h>

#include <switchyard/containers/threads.hpp>

namespace switchyard {
namespace {

using std::chrono::seconds;

constexpr auto of_one = static_cast<std::size_t>(Threads::One);
constexpr auto of_all = static_cast<std::size_t>(Threads::All);

TEST(RecentlySpent, IsNothingAtFirst) {
  const RecentlySpent recently;
  for (const SpentTime& spent : recently.at(RecentlySpent::Clock::now())) {
    EXPECT_EQ(spent.seconds, 0);
    EXPECT_EQ(spent.off_share(), 0);
  }
}

TEST(RecentlySpent, ForgetsHalfOfWhatWasLostInEachSecond) {
  RecentlySpent recently;
  const auto start = RecentlySpent::Clock::now();
  SpentByThreads spent{};
  spent[of_all] = {.seconds = 0.4, .computed = 0.2, .quiet = 0.1};
  recently.note(spent, start);
  EXPECT_DOUBLE_EQ(recently.at(start)[of_all].seconds, 0.4);
  const SpentTime later = recently.at(start + seconds(2))[of_all];
  EXPECT_DOUBLE_EQ(later.seconds, 0.175);
  EXPECT_DOUBLE_EQ(later.computed, 0.125);
  EXPECT_DOUBLE_EQ(later.quiet, 0.1);
  EXPECT_EQ(recently.at(start + seconds(4))[of_all].seconds, 0) << "nothing is known any more";
}

TEST(RecentlySpent, KeepsWhatTheNextMatrixDoesNotKnow) {
  RecentlySpent recently;
  const auto start = RecentlySpent::Clock::now();
  SpentByThreads first{};
  first[of_all] = {.seconds = 0.4, .computed = 0.2, .quiet = 0.1};
  recently.note(first, start);
  SpentByThreads second{};
  second[of_one] = {.seconds = 0.3, .computed = 0.3, .quiet = 0.3};
  recently.note(second, start);
  EXPECT_DOUBLE_EQ(recently.at(start)[of_all].seconds, 0.4);
  EXPECT_DOUBLE_EQ(recently.at(start)[of_one].seconds, 0.3);
}

}  // namespace
}  // namespace switchyard
