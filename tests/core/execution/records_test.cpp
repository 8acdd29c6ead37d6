// The records of one matrix: counters, history and trace of finished calls and moves.
#include "execution/records.hpp"

#include <gtest/gtest.h>

#include "states.hpp"

namespace switchyard {
namespace {

using testing::csr_device;
using testing::csr_host;

CallFacts call_in(State state) {
  return {.target = state,
          .variant = "v",
          .vector_bytes = 10,
          .predicted_seconds = 0.5,
          .bytes = 100,
          .reason = Reason::UnknownCalls};
}

TEST(Records, CountWhatHasFinished) {
  Records records(nullptr);
  records.finished(call_in(csr_host), 3);
  records.finished(call_in(csr_host), 0);
  records.finished(call_in(csr_device), 2);
  CallFacts completed = call_in(csr_host);
  completed.after_failure = true;
  records.device_failed();
  records.finished(completed, 1);
  records.remembered(1);
  const Counters& counters = records.counters();
  EXPECT_EQ(counters.calls, 6);
  EXPECT_EQ(counters.switches, 2);
  EXPECT_EQ(counters.vector_bytes, 60);
  EXPECT_EQ(counters.device_failures, 1);
  EXPECT_EQ(counters.completed_after_failure, 1);
  EXPECT_EQ(counters.decisions_remembered, 1);
  ASSERT_EQ(records.history().size(), 3U);
  EXPECT_EQ(records.history()[0].calls, 3);
}

TEST(Records, NewContentsBeginAnewButAreCountedOn) {
  Records records(nullptr);
  records.finished(call_in(csr_host), 3);
  records.begin();
  EXPECT_TRUE(records.history().empty());
  records.finished_late(call_in(csr_device));
  EXPECT_TRUE(records.history().empty()) << "that was with the old contents";
  EXPECT_EQ(records.counters().calls, 4);
  EXPECT_EQ(records.counters().switches, 1);
}

TEST(Records, MovesAreCountedByTheirKind) {
  Records records(nullptr);
  const Step convert{.kind = StepKind::Convert, .from = {}, .to = csr_host};
  const Step transfer{.kind = StepKind::Transfer, .from = csr_host, .to = csr_device};
  records.moved({.step = convert, .bytes = 100, .start = {}, .seconds = 0.25});
  records.moved({.step = transfer, .bytes = 30, .start = {}, .seconds = 0.5});
  EXPECT_EQ(records.counters().conversions, 1);
  EXPECT_EQ(records.counters().converted_bytes, 100);
  EXPECT_EQ(records.counters().transfers, 1);
  EXPECT_EQ(records.counters().transferred_bytes, 30);
  EXPECT_EQ(records.counters().switching_seconds, 0.75);
  ASSERT_EQ(records.history().size(), 2U);
  EXPECT_EQ(records.history()[1].measured_seconds, 0.5);
}

TEST(Records, TimedCallsAreTraced) {
  Trace trace;
  Records records(&trace);
  EXPECT_TRUE(records.traces());
  records.finished(call_in(csr_host), 1);
  records.timed(call_in(csr_host), {.whole = 3.0, .kernel = 2.0});
  records.timed(call_in(csr_host), {});
  ASSERT_EQ(trace.events().size(), 1U) << "a call without a time is none";
  const TraceEvent event = trace.events()[0];
  EXPECT_EQ(event.seconds, 3);
  EXPECT_EQ(event.vector_seconds, 1);
  EXPECT_EQ(event.predicted_seconds, 0.5);
  EXPECT_EQ(event.reason, Reason::UnknownCalls);
  EXPECT_EQ(records.history()[0].measured_calls, 1);
  EXPECT_EQ(records.history()[0].measured_seconds, 3);
}

}  // namespace
}  // namespace switchyard
