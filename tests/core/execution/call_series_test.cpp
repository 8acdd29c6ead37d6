// The calls with one request: what is remembered for them, and that requests do not disturb others.
#include "execution/call_series.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <switchyard/core/planner.hpp>

#include "states.hpp"

namespace switchyard {
namespace {

using testing::csr_host;
using testing::dense_host;
const Request plain;
const Request transposed{.operand = Operand::Transpose};
const Request block{.columns = 16};

std::shared_ptr<PlannedCall<float>> call_in(State state) {
  auto planned = std::make_shared<PlannedCall<float>>();
  planned->facts = {.target = state, .variant = "v", .vector_bytes = 8};
  planned->validity.until_calls = std::numeric_limits<Index>::max();
  return planned;
}

/// A series of calls with its own records, and a remembered plan that holds for all of them.
struct Calls {
  explicit Calls(const Request& request) : series(request, false) {
    series.dispatcher().begin({dense_host});
    plan_for(csr_host);
  }
  void plan_for(State state) {
    planned = call_in(state);
    series.plans().remember(planned);
  }
  [[nodiscard]] bool remembers() const { return series.plans().find(0, {}, 0) != nullptr; }

  mutable CallSeries<float> series;
  Records records{nullptr};
  std::shared_ptr<PlannedCall<float>> planned;
};

TEST(CallSeries, FinishedCallsAreRecordedOnce) {
  Calls calls(plain);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(calls.planned->finished.add());
  EXPECT_EQ(calls.series.dispatcher().calls(), 0) << "nobody has looked";
  calls.series.settle(calls.records);
  calls.series.settle(calls.records);
  EXPECT_EQ(calls.series.dispatcher().calls(), 3);
  EXPECT_EQ(calls.series.dispatcher().ledger().calls(csr_host), 3);
  EXPECT_EQ(calls.records.counters().calls, 3);
  EXPECT_EQ(calls.records.counters().vector_bytes, 24);
  EXPECT_TRUE(calls.remembers());
}

TEST(CallSeries, ForgettingAPlanRecordsItsCalls) {
  Calls calls(plain);
  EXPECT_TRUE(calls.planned->finished.add());
  calls.series.forget_plan(calls.records);
  EXPECT_FALSE(calls.remembers());
  EXPECT_EQ(calls.series.dispatcher().calls(), 1);
  EXPECT_FALSE(calls.planned->finished.add()) << "a call that ends later records itself";
  calls.series.finished(calls.planned->facts, 1, calls.records);
  EXPECT_EQ(calls.series.dispatcher().calls(), 2);
  EXPECT_EQ(calls.records.counters().calls, 2);
}

TEST(CallSeries, AHintIsUsedUpByFinishedCallsOnly) {
  Calls calls(plain);
  calls.series.dispatcher().expect_calls(10);
  calls.series.settle(calls.records);
  EXPECT_EQ(calls.series.dispatcher().horizon(), 10);
  EXPECT_TRUE(calls.planned->finished.add());
  calls.series.settle(calls.records);
  EXPECT_EQ(calls.series.dispatcher().horizon(), 9);
}

TEST(CallSeries, TwoRequestsDoNotDisturbEachOther) {
  Calls one(plain);
  Calls other(transposed);
  Calls third(block);
  EXPECT_NE(one.series.request(), other.series.request());
  EXPECT_NE(one.series.request(), third.series.request());
  one.series.dispatcher().expect_calls(100);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(one.planned->finished.add());
  EXPECT_TRUE(other.planned->finished.add());
  for (Calls* const calls : {&one, &other, &third}) calls->series.settle(calls->records);
  EXPECT_EQ(one.series.dispatcher().calls(), 4);
  EXPECT_EQ(one.series.dispatcher().horizon(), 96);
  EXPECT_EQ(other.series.dispatcher().calls(), 1);
  EXPECT_EQ(other.series.dispatcher().horizon(), 2) << "no hint: as many as were made, and this";
  EXPECT_EQ(third.series.dispatcher().horizon(), 1);
  EXPECT_FALSE(third.series.dispatcher().ledger().cost(csr_host, "v"));
  other.series.forget_plan(other.records);
  EXPECT_TRUE(one.remembers());
}

TEST(CallSeries, WorkBeforeTheFirstCallIsNotBetweenCalls) {
  Calls calls(plain);
  const VectorWork work{4, 1, 100};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(calls.series.work_before_call(work), VectorWork{});
  EXPECT_TRUE(calls.planned->finished.add());
  calls.series.settle(calls.records);
  EXPECT_EQ(calls.series.work_before_call(work), work);
}

/// A yard of two states, the second of which costs half of the first.
Yard two_states() {
  Yard yard;
  yard.valid = {dense_host};
  yard.nodes = {{.state = dense_host, .multiply_seconds = 2, .variant = "v"},
                {.state = csr_host, .multiply_seconds = 1, .variant = "v"}};
  yard.edges = {{.from = dense_host, .to = csr_host, .seconds = 0.1}};
  yard.horizon = 10;
  return yard;
}

TEST(CallSeries, ATimeThatSurprisesIsWorthAnotherPlan) {
  Calls calls(plain);
  calls.series.dispatcher().follow(shortest_plan(two_states()));
  for (int i = 0; i < 8; ++i) {
    calls.series.finished(calls.planned->facts, 1, calls.records);
    calls.series.timed(csr_host, "v", {5, 5}, calls.records);
  }
  EXPECT_FALSE(calls.remembers());
}

}  // namespace
}  // namespace switchyard
