// Counting, recording and tracing what was done.
#include "execution/records.hpp"

#include <switchyard/containers/log.hpp>
#include <utility>

namespace switchyard {
namespace {

Index& counter_of(Counters& counters, StepKind skeleton) noexcept {
  if (skeleton == StepKind::MapRows) return counters.row_folds;
  return skeleton == StepKind::Reduce ? counters.folds : counters.maps;
}

TraceEvent::Kind event_of(StepKind skeleton) noexcept {
  if (skeleton == StepKind::MapRows) return TraceEvent::Kind::MapRows;
  return skeleton == StepKind::Reduce ? TraceEvent::Kind::Reduce : TraceEvent::Kind::Map;
}

void log_call(const CallFacts& call, double seconds) {
  if (!log_enabled(LogLevel::Trace)) return;
  log(LogLevel::Trace, "step multiply " + name(call.target) + " [" + std::string(call.variant) +
                           "]: predicted " + format_seconds(call.predicted_seconds) +
                           ", measured " + format_seconds(seconds));
}

}  // namespace

void Records::count(const CallFacts& call, Index calls) noexcept {
  if (calls == 0) return;
  const State before = std::exchange(last_target_, call.target).value_or(call.target);
  counters_.calls += calls;
  counters_.switches += before != call.target ? 1 : 0;
  counters_.vector_bytes += calls * call.vector_bytes;
  counters_.completed_after_failure += call.after_failure ? calls : 0;
}

void Records::finished(const CallFacts& call, Index calls) noexcept {
  count(call, calls);
  if (calls > 0) history_.record_products(call.kind(), calls);
}

void Records::finished_late(const CallFacts& call) noexcept { count(call, 1); }

void Records::timed(const CallFacts& call, const CallTimes& times) noexcept {
  if (!times.whole) return;
  history_.record_time(call.kind(), *times.whole);
  log_call(call, *times.whole);
  if (!trace_) return;
  trace_->add({.kind = TraceEvent::Kind::Multiply,
               .start = times.start,
               .seconds = *times.whole,
               .vector_seconds = *times.whole - times.kernel.value_or(*times.whole),
               .lost_seconds = times.waited + times.unhelped,
               .from = call.target,
               .to = call.target,
               .variant = call.variant,
               .predicted_seconds = call.predicted_seconds,
               .bytes = call.bytes,
               .reason = call.reason});
}

void Records::moved(const FinishedMove& move) {
  const Step& step = move.step;
  const bool converts = step.kind == StepKind::Convert;
  ++(converts ? counters_.conversions : counters_.transfers);
  (converts ? counters_.converted_bytes : counters_.transferred_bytes) += move.bytes;
  counters_.switching_seconds += move.seconds;
  if (trace_) {
    const auto kind = converts ? TraceEvent::Kind::Convert : TraceEvent::Kind::Transfer;
    trace_->add({.kind = kind,
                 .start = move.start,
                 .seconds = move.seconds,
                 .from = step.from,
                 .to = step.to,
                 .predicted_seconds = step.predicted_seconds,
                 .bytes = step.bytes,
                 .reason = move.reason});
  }
  history_.record_move(step, move.seconds);
}

void Records::computed(const Step& skeleton, TraceEvent::Clock::time_point start,
                       std::optional<double> seconds, Index vector_bytes) {
  counters_.vector_bytes += vector_bytes;
  ++counter_of(counters_, skeleton.kind);
  if (trace_) {
    trace_->add({.kind = event_of(skeleton.kind),
                 .start = start,
                 .seconds = seconds.value_or(0),
                 .from = skeleton.from,
                 .to = skeleton.to,
                 .predicted_seconds = skeleton.predicted_seconds,
                 .bytes = skeleton.bytes});
  }
  history_.record_skeleton(skeleton, seconds);
}

void Records::planned(const Plan& plan, std::string_view subject) {
  ++counters_.decisions_planned;
  history_.reserve();
  if (!trace_) return;
  trace_->add({.kind = TraceEvent::Kind::Decision,
               .start = TraceEvent::Clock::now(),
               .from = plan.steps.front().from,
               .to = plan.target(),
               .calls = plan.yard.horizon,
               .predicted_seconds = plan.predicted_seconds,
               .words = plan_line(plan, subject),
               .reason = plan.reason});
}

}  // namespace switchyard
