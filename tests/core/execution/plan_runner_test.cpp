// Doing the moves of a plan, by a clock that the test owns.
#include "execution/plan_runner.hpp"

#include <gtest/gtest.h>

#include "core/execution/quarters.hpp"
#include "core/fixtures.hpp"
#include "states.hpp"

namespace switchyard {
namespace {

using testing::random_dense;

using testing::csr_device;
using testing::csr_host;
using testing::dense_host;

/// A dense matrix of which as much is known as a sample tells, and what moves it.
struct MovingWorld {
  explicit MovingWorld(const RuntimeOptions& options = testing::host_only()) : runtime(options) {
    Dense<float> dense = random_dense<float>(300, 200, 0.3, 1);
    nonzeros = structure_of(dense).nnz;
    contents.structure = sampled_structure_of(dense);
    contents.structure.exact = false;
    contents.structure.nnz = 1;
    Storage<float> storage = std::move(dense);
    charge_to(storage, runtime.executor(Space::host())->memory());
    contents.copies.reset(dense_host, std::move(storage));
  }
  RuntimeState runtime;
  Contents<float> contents;
  Records records{nullptr};
  PlanRunner<float> runner{runtime, contents, records, &testing::quarters};
  Index nonzeros = 0;
};

Plan going(std::initializer_list<Step> steps) {
  Plan plan;
  plan.steps = steps;
  return plan;
}
const Step to_csr{.kind = StepKind::Convert, .from = dense_host, .to = csr_host};
const Step multiply{.kind = StepKind::Multiply, .from = csr_host, .to = csr_host, .calls = 1};

TEST(PlanRunner, MovesAndRecordsWhatItDid) {
  MovingWorld world;
  world.runner.walk(going({to_csr, multiply}));
  EXPECT_EQ(world.contents.copies.states(), (std::vector{dense_host, csr_host}));
  EXPECT_EQ(world.records.counters().conversions, 1);
  EXPECT_EQ(world.records.counters().switching_seconds, 0.25) << "by the clock that it was given";
  ASSERT_EQ(world.records.history().size(), 1U) << "the multiply is not its business";
  world.runner.walk(going({to_csr, multiply}));
  EXPECT_EQ(world.records.counters().conversions, 1) << "the copy is there";
}

TEST(PlanRunner, AConversionTellsHowManyNonzerosThereAre) {
  MovingWorld world;
  world.runner.walk(going({to_csr, multiply}));
  EXPECT_TRUE(world.contents.structure.exact);
  EXPECT_EQ(world.contents.structure.nnz, world.nonzeros);
  EXPECT_EQ(world.records.counters().converted_bytes,
            static_cast<Index>(bytes_of(world.contents.copies.find(csr_host)->storage())));
}

TEST(PlanRunner, WithoutRoomNothingIsMoved) {
  MovingWorld world;
  MemorySpace& memory = *world.runtime.executor(Space::host())->memory();
  memory.set_budget(memory.used());
  try {
    world.runner.walk(going({to_csr, multiply}));
    ADD_FAILURE() << "there is no room";
  } catch (const StepError& failure) {
    EXPECT_EQ(failure.state, csr_host);
    EXPECT_EQ(failure.error.code(), ErrorCode::OutOfMemory);
  }
  EXPECT_EQ(world.contents.copies.states(), std::vector{dense_host});
  EXPECT_EQ(world.records.counters(), Counters{});
  EXPECT_FALSE(world.contents.structure.exact);
}

TEST(PlanRunner, WhatIsSharedNeedsNoRoom) {
  MovingWorld world;
  const std::vector<Triplet<float>> ones{{0, 1, 1.0F}, {2, 0, 1.0F}, {2, 3, 1.0F}};
  Storage<float> csr = csr_from_triplets<float>(3, 4, ones);
  MemorySpace& memory = *world.runtime.executor(Space::host())->memory();
  charge_to(csr, world.runtime.executor(Space::host())->memory());
  world.contents.structure = structure_of(std::get<Csr<float>>(csr));
  world.contents.copies.reset(csr_host, std::move(csr));
  memory.set_budget(memory.used() + sizeof(float));
  const State const_host{Space::host(), Format::CsrConst};
  const Step to_const{.kind = StepKind::Convert, .from = csr_host, .to = const_host};
  world.runner.walk(going({to_const, multiply}));
  EXPECT_EQ(world.contents.copies.states(), (std::vector{csr_host, const_host}));
  EXPECT_EQ(memory.available(), 0U);
  EXPECT_EQ(world.records.counters().converted_bytes,
            static_cast<Index>(bytes_of(world.contents.copies.find(const_host)->storage())));
}

TEST(PlanRunner, WhatAWayLeadsThroughStays) {
  MovingWorld world{RuntimeOptions{}};
  if (world.runtime.executors().size() < 2) GTEST_SKIP() << "there is no OpenCL device";
  const Step over{.kind = StepKind::Transfer, .from = csr_host, .to = csr_device};
  world.runner.walk(going({to_csr, over, multiply}));
  EXPECT_EQ(world.contents.copies.states(), (std::vector{dense_host, csr_host, csr_device}));
  EXPECT_EQ(world.records.counters().transfers, 1);
  const auto& there = world.contents.copies.find(csr_device)->storage();
  const auto back = transferred(there, plain_host_memory());
  EXPECT_EQ(std::get<Csr<float>>(back).nnz, world.nonzeros);
  EXPECT_GT(world.contents.copies.find(csr_device)->copy->last_used,
            world.contents.copies.find(csr_host)->copy->last_used);
}

}  // namespace
}  // namespace switchyard
