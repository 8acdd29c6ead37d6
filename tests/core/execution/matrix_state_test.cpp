// The parts behind a matrix together, by a clock that the test owns.
#include "execution/matrix_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <switchyard/containers/log.hpp>
#include <thread>

#include "core/execution/quarters.hpp"
#include "core/fixtures.hpp"
#include "states.hpp"

namespace switchyard {
namespace {

using testing::random_dense;

using testing::csr_host;
using testing::dense_host;

/// A matrix of its own runtime on the host, and vectors for it.
struct World {
  explicit World(std::shared_ptr<Trace> trace = nullptr) {
    RuntimeOptions options = testing::host_only();
    options.trace = std::move(trace);
    runtime = std::make_shared<RuntimeState>(options);
    matrix = std::make_shared<MatrixState<float>>(runtime, &testing::quarters);
    matrix->assign(random_dense<float>(40, 30, 0.2, 1));
  }
  void multiply(const Request& request = {}) {
    matrix->multiply({.alpha = 1, .x = &x, .y = &y, .request = request});
  }
  std::shared_ptr<RuntimeState> runtime;
  std::shared_ptr<MatrixState<float>> matrix;
  Vector<float> x = Vector<float>(30, 1.0F);
  Vector<float> y = Vector<float>(40);
};

TEST(MatrixState, IsTimedByTheClockThatItIsGiven) {
  const auto trace = std::make_shared<Trace>();
  World world(trace);
  world.matrix->pin(csr_host);
  world.multiply();
  world.multiply();
  const auto history = world.matrix->history();
  ASSERT_EQ(history.size(), 2U);
  EXPECT_EQ(history[0].measured_seconds, 0.25) << "the conversion";
  EXPECT_EQ(history[1].measured_calls, 2);
  EXPECT_EQ(history[1].measured_seconds, 0.5);
  EXPECT_EQ(world.matrix->counters().switching_seconds, 0.25);
  const auto events = trace->events();
  EXPECT_EQ(std::ranges::count(events, TraceEvent::Kind::Multiply, &TraceEvent::kind), 2);
}

TEST(MatrixState, VectorsHaveToHaveTheColumnsThatAreAskedFor) {
  World world;
  for (const Index columns : {Index{2}, std::numeric_limits<Index>::max()}) {
    try {
      world.multiply({.columns = columns});
      ADD_FAILURE() << columns;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::DimensionMismatch);
    }
  }
  EXPECT_EQ(world.matrix->counters(), Counters{});
}

TEST(MatrixState, ACallThatFailsIsNotCounted) {
  World world;
  const Vector<float> x(31);
  EXPECT_THROW(world.matrix->multiply({.alpha = 1, .x = &x, .y = &world.y}), Error);
  EXPECT_EQ(world.matrix->counters(), Counters{});
  EXPECT_EQ(world.matrix->plan().yard.horizon, 1);
  world.multiply();
  EXPECT_EQ(world.matrix->counters().calls, 1);
  EXPECT_EQ(world.matrix->plan().yard.horizon, 2);
}

// A line of the log is written while a conversion has the matrix.
TEST(MatrixState, ABusyMatrixHasNothingToSpareForOthers) {
  World world;
  world.matrix->bring_to(csr_host);
  ASSERT_TRUE(world.matrix->oldest_spare(Space::host()));
  int lines = 0;
  std::optional<std::uint64_t> spare = 0;
  bool dropped = true;
  set_log_level(LogLevel::Trace);
  set_log_sink([&](LogLevel, std::string_view) {
    ++lines;
    std::thread([&] {
      spare = world.matrix->oldest_spare(Space::host());
      dropped = world.matrix->drop_oldest_spare(Space::host());
    }).join();
  });
  world.matrix->bring_to({Space::host(), Format::Ell});
  set_log_sink({});
  set_log_level(LogLevel::Off);
  EXPECT_EQ(lines, 1);
  EXPECT_FALSE(spare);
  EXPECT_FALSE(dropped);
  EXPECT_EQ(world.matrix->states().size(), 3U);
}

TEST(MatrixState, WhatWasCountedIsNotLostWithTheMatrix) {
  World world;
  world.runtime->enroll(world.matrix);
  for (int i = 0; i < 3; ++i) world.multiply();
  world.matrix.reset();
  EXPECT_EQ(world.runtime->counters().calls, 3) << "the last of them nobody had asked for";
}

TEST(MatrixState, AHintIsForTheCallsAfterIt) {
  World world;
  for (int i = 0; i < 3; ++i) world.multiply();
  world.matrix->expect_calls({.products = 10});
  EXPECT_EQ(world.matrix->plan().yard.horizon, 10);
  world.multiply();
  EXPECT_EQ(world.matrix->plan().yard.horizon, 9);
}

TEST(MatrixState, NewContentsArePlannedForAsManyCallsAsTheOldOnesSaw) {
  World world;
  for (int content = 0; content < 3; ++content) {
    for (int i = 0; i < 4; ++i) world.multiply();
    world.matrix->rewrite(Format::Dense, [](Storage<float>&) {});
  }
  EXPECT_EQ(world.matrix->plan().yard.horizon, 4);
  EXPECT_EQ(world.matrix->states(), std::vector{dense_host});
}

}  // namespace
}  // namespace switchyard
