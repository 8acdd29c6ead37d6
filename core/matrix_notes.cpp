// What is counted and traced of one matrix.
#include <utility>

#include "matrix_state.hpp"

namespace switchyard {

template <Element T>
Counters MatrixState<T>::counters() const {
  const LookingLock lock(mutex_);
  return counters_;
}

template <Element T>
void MatrixState<T>::count_product(const Decision<T>& decision) {
  const std::string_view variant = decision.operation->variant;
  history_.record_product(decision.target, variant);
  runtime_->note_product_in(decision.target.space);
  look_again_if(dispatcher_.note_product(decision.target, variant));
}

template <Element T>
void MatrixState<T>::take_back_product(const Decision<T>& decision) {
  history_.take_back_product(decision.target, decision.operation->variant);
  dispatcher_.take_back_product();
  take_back_count(decision);
}

template <Element T>
void MatrixState<T>::collect_time() {
  const auto seconds = timing_.stopwatch->seconds();
  if (!seconds) return;
  timing_.stage = DeviceTiming::Stage::Idle;
  note_time(timing_.state, timing_.variant, *seconds);
}

template <Element T>
void MatrixState<T>::note_time(State state, std::string_view variant, double seconds) {
  look_again_if(dispatcher_.note_time(state, variant, seconds));
  // Once for each content, so that a matrix used often does not outvote the others.
  constexpr Index well_known = 7;
  if (dispatcher_.ledger().samples(state, variant) != well_known) return;
  const auto cost = dispatcher_.ledger().cost(state, variant);
  runtime_->learn(multiply_key(state, precision_of<T>, variant),
                  multiply_features(state.format, structure_, precision_of<T>), cost->seconds);
}

template <Element T>
void MatrixState<T>::note_count(Decision<T>& decision, const Product<T>& product) noexcept {
  const Space space = decision.target.space;
  const auto arrives = [&](std::uint64_t valid) { return !(valid >> space.index() & 1); };
  Index elements = 0;
  if (arrives(decision.traffic.x_valid)) elements += cols_;
  if (decision.traffic.y_kept && arrives(decision.traffic.y_valid)) elements += rows_;
  if (product.for_caller && !space.is_host()) elements += rows_;
  decision.vector_bytes = elements * Index{sizeof(T)};
  decision.before = std::exchange(last_target_, decision.target);
  decision.after_failure = decision.after_failure && space.is_host();

  ++counters_.calls;
  counters_.vector_bytes += decision.vector_bytes;
  counters_.switches += decision.before.value_or(decision.target) != decision.target ? 1 : 0;
  counters_.completed_after_failure += decision.after_failure ? 1 : 0;
}

template <Element T>
void MatrixState<T>::take_back_count(const Decision<T>& decision) noexcept {
  last_target_ = decision.before;
  --counters_.calls;
  counters_.vector_bytes -= decision.vector_bytes;
  counters_.switches -= decision.before.value_or(decision.target) != decision.target ? 1 : 0;
  counters_.completed_after_failure -= decision.after_failure ? 1 : 0;
}

template <Element T>
void MatrixState<T>::note_move(StepKind kind, Index bytes, double seconds) noexcept {
  const bool converts = kind == StepKind::Convert;
  ++(converts ? counters_.conversions : counters_.transfers);
  (converts ? counters_.converted_bytes : counters_.transferred_bytes) += bytes;
  counters_.switching_seconds += seconds;
}

template <Element T>
void MatrixState<T>::trace_product(const Decision<T>& decision, const ProductTimes& times) const {
  if (!times.whole) return;
  runtime_->trace()->add({.kind = TraceEvent::Kind::Multiply,
                          .start = times.start,
                          .seconds = *times.whole,
                          .vector_seconds = *times.whole - times.kernel.value_or(*times.whole),
                          .from = decision.target,
                          .to = decision.target,
                          .variant = decision.operation->variant,
                          .predicted_seconds = decision.predicted_seconds,
                          .bytes = decision.bytes,
                          .reason = decision.reason});
}

template <Element T>
void MatrixState<T>::trace_move(const Step& step, Reason reason,
                                TraceEvent::Clock::time_point start, double seconds) const {
  const bool converts = step.kind == StepKind::Convert;
  runtime_->trace()->add({.kind = converts ? TraceEvent::Kind::Convert : TraceEvent::Kind::Transfer,
                          .start = start,
                          .seconds = seconds,
                          .from = step.from,
                          .to = step.to,
                          .predicted_seconds = step.predicted_seconds,
                          .bytes = step.bytes,
                          .reason = reason});
}

template <Element T>
void MatrixState<T>::trace_decision(const Plan& plan) const {
  runtime_->trace()->add({.kind = TraceEvent::Kind::Decision,
                          .start = TraceEvent::Clock::now(),
                          .from = plan.steps.front().from,
                          .to = plan.target(),
                          .calls = plan.yard.horizon,
                          .predicted_seconds = plan.predicted_seconds,
                          .words = plan_line(plan, subject_of(structure_)),
                          .reason = plan.reason});
}

template Counters MatrixState<float>::counters() const;
template void MatrixState<float>::collect_time();
template void MatrixState<float>::note_time(State, std::string_view, double);
template void MatrixState<float>::count_product(const Decision<float>&);
template void MatrixState<float>::take_back_product(const Decision<float>&);
template void MatrixState<float>::note_count(Decision<float>&, const Product<float>&) noexcept;
template void MatrixState<float>::take_back_count(const Decision<float>&) noexcept;
template void MatrixState<float>::note_move(StepKind, Index, double) noexcept;
template void MatrixState<float>::trace_product(const Decision<float>&, const ProductTimes&) const;
template void MatrixState<float>::trace_move(const Step&, Reason, TraceEvent::Clock::time_point,
                                             double) const;
template void MatrixState<float>::trace_decision(const Plan&) const;
template Counters MatrixState<double>::counters() const;
template void MatrixState<double>::collect_time();
template void MatrixState<double>::note_time(State, std::string_view, double);
template void MatrixState<double>::count_product(const Decision<double>&);
template void MatrixState<double>::take_back_product(const Decision<double>&);
template void MatrixState<double>::note_count(Decision<double>&, const Product<double>&) noexcept;
template void MatrixState<double>::take_back_count(const Decision<double>&) noexcept;
template void MatrixState<double>::note_move(StepKind, Index, double) noexcept;
template void MatrixState<double>::trace_product(const Decision<double>&,
                                                 const ProductTimes&) const;
template void MatrixState<double>::trace_move(const Step&, Reason, TraceEvent::Clock::time_point,
                                              double) const;
template void MatrixState<double>::trace_decision(const Plan&) const;

}  // namespace switchyard
