// What is known of a skeleton on a matrix before it is computed, and the choice of where.
#include "execution/skeleton_work.hpp"

#include <gtest/gtest.h>

#include <switchyard/backends/openmp.hpp>
#include <switchyard/core/user_folds.hpp>
#include <switchyard/core/user_functions.hpp>

#include "core/fake_device.hpp"
#include "states.hpp"

namespace switchyard {
namespace {

using testing::csr_device;
using testing::csr_host;
using testing::dense_host;

template <class F>
UserFunction<float> user(const F& f) {
  return skeleton::user_function<float, skeleton::Place::None, 1>(f);
}

TEST(SkeletonChoice, HasTheBestAndTheNext) {
  SkeletonChoice choice{.state = dense_host};
  EXPECT_EQ(choice.seconds, SkeletonChoice::unknown);
  choice.consider(csr_host, {.itself = 2, .around = 1}, 0);
  EXPECT_EQ(choice.state, csr_host);
  EXPECT_FALSE(choice.next.has_value());
  choice.consider(csr_device, {.itself = 1, .around = 0}, 3);
  EXPECT_EQ(choice.next, csr_device);
  EXPECT_EQ(choice.next_seconds, 4);
  choice.consider(dense_host, {.itself = 1, .around = 1}, 0.5);
  EXPECT_EQ(choice.state, dense_host);
  EXPECT_EQ(choice.itself_seconds, 1);
  EXPECT_EQ(choice.seconds, 2.5);
  EXPECT_EQ(choice.next, csr_host);
  EXPECT_EQ(choice.next_seconds, 3);
}

TEST(SkeletonChoice, ATieStaysWithTheFirst) {
  SkeletonChoice choice;
  choice.consider(csr_host, {.itself = 2}, 0);
  choice.consider(csr_device, {.itself = 2}, 0);
  EXPECT_EQ(choice.state, csr_host);
}

TEST(SkeletonChoice, ALineSaysWhereAndWhy) {
  SkeletonChoice choice;
  choice.consider(csr_host, {.itself = 1e-3}, 0);
  EXPECT_EQ(choice_line(StepKind::MapRows, "A", choice, nullptr),
            "map_rows A: csr@host 1.00ms; no alternative");
  choice.consider(csr_device, {.itself = 1e-3}, 1e-3);
  EXPECT_EQ(choice_line(StepKind::Reduce, "A", choice, "it branches"),
            "reduce A: csr@host 1.00ms; next: csr@device0 2.00ms; host only: it branches");
}

TEST(RememberedChoice, HoldsUntilSomethingChanges) {
  const RememberedChoice kept{.traffic = {.x_valid = 3}, .on_devices = true, .until = 4};
  EXPECT_TRUE(kept.holds_for(kept, 3));
  EXPECT_FALSE(kept.holds_for(kept, 4));
  RememberedChoice other = kept;
  other.traffic.x_valid = 1;
  EXPECT_FALSE(kept.holds_for(other, 3));
  other = kept;
  other.on_devices = false;
  EXPECT_FALSE(kept.holds_for(other, 3));
  other = kept;
  other.runtime_version = 7;
  EXPECT_FALSE(kept.holds_for(other, 3));
}

TEST(SkeletonWork, KnowsWhichDevicesComputeIt) {
  ExecutorFacts facts;
  facts.supports_double = false;
  const testing::FakeDevice single(facts);
  facts.supports_double = true;
  const testing::FakeDevice full(facts);
  const auto host = make_host_executor();
  const auto in_float = [](auto a) { return a * 0.5F; };
  const auto in_double = [](auto a) { return a * 0.5; };
  const auto branches = [](auto a) -> float { return a > 0 ? 1.0F : 2.0F; };

  SkeletonWork<float> work(user(in_float));
  EXPECT_TRUE(work.suits(single));
  EXPECT_TRUE(work.keeps_zeros());
  EXPECT_EQ(work.function_for(*host).recorded, nullptr);
  EXPECT_EQ(work.function_for(single).recorded, &work.recorded());
  work.keep_on_host("the test says so");
  EXPECT_FALSE(work.suits(full));
  EXPECT_TRUE(work.suits(*host));

  const SkeletonWork<float> wide(user(in_double));
  EXPECT_FALSE(wide.suits(single));
  EXPECT_TRUE(wide.suits(full));

  const SkeletonWork<float> unrecorded(user(branches));
  EXPECT_FALSE(unrecorded.suits(full));
  EXPECT_FALSE(unrecorded.keeps_zeros());
  EXPECT_NE(unrecorded.only_on_host(), nullptr);
}

TEST(SkeletonWork, AnOperationThatIsNotRecordedRunsOnTheHost) {
  const testing::FakeDevice device;
  const auto same = [](auto a) { return a; };
  const auto larger = fold::by([](auto a, auto b) { return a < b ? b : a; }, -1e30F);
  const auto fold = skeleton::user_fold<float>(larger);
  const UserFunction<float> function = user(same);
  const SkeletonWork<float> work(function, &fold);
  EXPECT_NE(work.only_on_host(), nullptr);
}

TEST(SkeletonLines, AreThoseOfAHistory) {
  EXPECT_EQ(skeleton_lines({}), "");
  const std::vector<Step> history{{.kind = StepKind::Transfer, .from = csr_host, .to = csr_device},
                                  {.kind = StepKind::MapRows,
                                   .from = csr_device,
                                   .to = csr_device,
                                   .calls = 3,
                                   .predicted_seconds = 3e-3,
                                   .measured_seconds = 2e-3,
                                   .measured_calls = 1},
                                  {.kind = StepKind::Reduce,
                                   .from = csr_host,
                                   .to = csr_host,
                                   .calls = 1,
                                   .predicted_seconds = 1e-3}};
  EXPECT_EQ(
      skeleton_lines(history),
      "skeletons  map_rows in csr@device0, 3 times: predicted 3.00ms, measured 2.00ms for 1 of "
      "them\n"
      "           reduce in csr@host, once: predicted 1.00ms\n");
}

}  // namespace
}  // namespace switchyard
