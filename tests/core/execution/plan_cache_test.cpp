// The remembered decision: when it holds, who may follow it, and how long it lives.
#include "execution/plan_cache.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <thread>
#include <vector>

namespace switchyard {
namespace {

std::shared_ptr<StoredCopy<float>> copy_of_one() {
  return std::make_shared<StoredCopy<float>>(
      Storage<float>(Dense<float>{1, 1, Array<float>(std::vector<float>{1})}), 0);
}

std::shared_ptr<PlannedCall<float>> with_copy(std::shared_ptr<StoredCopy<float>> copy) {
  auto planned = std::make_shared<PlannedCall<float>>();
  planned->copy = std::move(copy);
  planned->validity.until_calls = std::numeric_limits<Index>::max();
  planned->sizes = {1, 1};
  return planned;
}

TEST(PlanCache, HoldsWhileNothingThatItDependsOnChanges) {
  PlanCache<float> plans;
  const VectorTraffic traffic{.x_valid = 2};
  EXPECT_EQ(plans.find(1, traffic, 0), nullptr);
  const auto planned = with_copy(copy_of_one());
  planned->validity = {.runtime_version = 1, .traffic = traffic, .until_calls = 5};
  plans.remember(planned);
  EXPECT_EQ(plans.find(1, traffic, 0), planned.get());
  EXPECT_EQ(plans.find(1, traffic, 4), planned.get());
  EXPECT_EQ(plans.find(1, traffic, 5), nullptr) << "that many calls it was good for";
  EXPECT_EQ(plans.find(2, traffic, 0), nullptr) << "the profile or a device has changed";
  EXPECT_EQ(plans.find(1, {}, 0), nullptr) << "the vectors are elsewhere";
  plans.forget();
  EXPECT_EQ(plans.find(1, traffic, 0), nullptr);
  plans.forget();
  EXPECT_EQ(plans.get(), nullptr);
}

// A call uses the decision that it was begun with, whatever is decided meanwhile.
TEST(PlanCache, AForgottenDecisionStaysForTheCallsThatUseItsCopy) {
  PlanCache<float> cache;
  const auto copy = copy_of_one();
  std::vector<std::weak_ptr<PlannedCall<float>>> decisions;
  std::vector<CopyInUse<float>> calls;
  for (int k = 0; k < 3; ++k) {
    auto planned = with_copy(copy);
    decisions.push_back(planned);
    cache.remember(std::move(planned));
    calls.emplace_back(*copy);
    cache.forget();
    EXPECT_EQ(cache.get(), nullptr);
  }
  cache.release_unused();
  for (const auto& decision : decisions) EXPECT_FALSE(decision.expired());
  calls.clear();
  cache.release_unused();
  for (const auto& decision : decisions) EXPECT_TRUE(decision.expired());
}

TEST(PlanCache, AForgottenDecisionThatNobodyUsesGoesAtOnce) {
  PlanCache<float> cache;
  const auto in_use = copy_of_one();
  const auto idle = copy_of_one();
  const CopyInUse<float> call(*in_use);
  std::vector<std::weak_ptr<PlannedCall<float>>> decisions;
  for (const auto& copy : {idle, in_use, idle}) {
    auto planned = with_copy(copy);
    decisions.push_back(planned);
    cache.remember(std::move(planned));
    cache.forget();
  }
  EXPECT_TRUE(decisions[0].expired());
  EXPECT_FALSE(decisions[1].expired());
  EXPECT_TRUE(decisions[2].expired());
}

TEST(PlanCache, IsFollowedOnlyByCallsThatItHoldsFor) {
  PlanCache<float> cache;
  EXPECT_FALSE(cache.follow(1, {}, {1, 1}));
  const auto planned = with_copy(copy_of_one());
  planned->validity.runtime_version = 1;
  planned->validity.traffic = {.x_valid = 2, .between = {.operations = 3}};
  cache.remember(planned);
  EXPECT_FALSE(cache.follow(2, {.x_valid = 2}, {1, 1})) << "the profile or a device has changed";
  EXPECT_FALSE(cache.follow(1, {.x_valid = 1}, {1, 1})) << "x is elsewhere";
  EXPECT_FALSE(cache.follow(1, {.x_valid = 2}, {2, 1})) << "x does not fit the matrix";
  EXPECT_FALSE(cache.follow(1, {.x_valid = 2}, {1, 2})) << "y does not fit the matrix";
  EXPECT_EQ(cache.take_followed(), 0);
  EXPECT_FALSE(planned->copy->in_use());
  {
    const auto call = cache.follow(1, {.x_valid = 2}, {1, 1});
    ASSERT_TRUE(call) << "what was done between calls is left to others";
    EXPECT_EQ(call->planned, planned.get());
    EXPECT_TRUE(planned->copy->in_use());
  }
  EXPECT_FALSE(planned->copy->in_use());
  EXPECT_EQ(cache.take_followed(), 1);
  EXPECT_EQ(cache.take_followed(), 0);
  cache.forget();
  EXPECT_FALSE(cache.follow(1, {.x_valid = 2}, {1, 1}));
}

// The value that a call reads would be freed, or changed, if a decision went too early.
TEST(PlanCache, IsFollowedWhileAnotherThreadDecidesAnew) {
  PlanCache<float> cache;
  std::atomic<bool> done = false;
  std::atomic<Index> followed = 0;
  std::atomic<Index> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      while (!done) {
        const auto call = cache.follow(0, {}, {1, 1});
        if (!call) continue;
        const auto& matrix = std::get<Dense<float>>(call->planned->copy->storage);
        if (matrix.values[0] != 1) ++wrong;
        static_cast<void>(call->planned->add(std::nullopt));
        ++followed;
      }
    });
  }
  Index taken = 0;
  for (int round = 0; round < 2000 || followed < 1000; ++round) {
    const auto copy = copy_of_one();
    cache.remember(with_copy(copy));
    while (round % 16 == 0 && !copy->in_use() && followed < 1000) std::this_thread::yield();
    cache.forget();
    taken += cache.take_followed();
    // As `Copies` does before it lets a caller write: nobody may read what is about to change.
    if (!copy->in_use()) std::get<Dense<float>>(copy->storage).values[0] = 2;
  }
  done = true;
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(taken + cache.take_followed(), followed);
}

}  // namespace
}  // namespace switchyard
