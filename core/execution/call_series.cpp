// Remembering a decision, and recording the calls that were made accordingly.
#include "execution/call_series.hpp"

#include <new>

namespace switchyard {

template <Element T>
PlannedCall<T>* PlanCache<T>::find(std::uint64_t runtime_version, const VectorTraffic& traffic,
                                   Index calls) const noexcept {
  const bool holds = planned_ && validity_.runtime_version == runtime_version &&
                     calls < validity_.until_calls && validity_.traffic == traffic;
  return holds ? planned_.get() : nullptr;
}

template <Element T>
void PlanCache<T>::remember(std::shared_ptr<PlannedCall<T>> planned,
                            const PlanValidity& validity) noexcept {
  planned_ = std::move(planned);
  validity_ = validity;
}

template <Element T>
void PlanCache<T>::forget() noexcept {
  if (!planned_) return;
  planned_->forgotten_before = std::move(forgotten_);
  forgotten_ = std::move(planned_);
  release_unused();
}

template <Element T>
void PlanCache<T>::release_unused() noexcept {
  for (std::shared_ptr<PlannedCall<T>>* at = &forgotten_; *at;) {
    const bool is_used = (*at)->copy && (*at)->copy->in_use();
    if (is_used) {
      at = &(*at)->forgotten_before;
    } else {
      // First out of the one that goes, which would take it along.
      std::shared_ptr<PlannedCall<T>> before = std::move((*at)->forgotten_before);
      *at = std::move(before);
    }
  }
}

template <Element T>
VectorWork CallSeries<T>::work_before_call(const VectorWork& work) noexcept {
  return dispatcher_.calls() > 0 ? work_.before_call(work) : work_.before_first_call(work);
}

template <Element T>
bool CallSeries<T>::note(const CallFacts& call, Index calls) noexcept {
  bool again = false;
  for (Index i = 0; i < calls; ++i) {
    try {
      again = dispatcher_.note_product(call.target, call.variant) || again;
    } catch (const std::bad_alloc&) {
      // The call is done; what has no memory to be noted is not.
    }
  }
  return again;
}

template <Element T>
void CallSeries<T>::settle(Records& records) noexcept {
  plans_.release_unused();
  PlannedCall<T>* const planned = plans_.get();
  if (!planned) return;
  const Index calls = planned->finished.take();
  if (calls == 0) return;
  const double seconds = planned->take_seconds();
  const CallFacts facts = planned->facts;  // as a new decision may be due
  finished(facts, calls, records);
  if (seconds > 0) spent(facts, calls, seconds, records);
}

template <Element T>
void CallSeries<T>::spent(const CallFacts& call, Index calls, double seconds,
                          Records& records) noexcept {
  if (dispatcher_.note_spent(call.target, call.variant, calls, seconds)) forget_plan(records);
}

template <Element T>
void CallSeries<T>::finished(const CallFacts& call, Index calls, Records& records) noexcept {
  records.finished(call, calls);
  if (note(call, calls)) look_again(records);
}

template <Element T>
void CallSeries<T>::forget_plan(Records& records) noexcept {
  PlannedCall<T>* const planned = plans_.get();
  // A copy that is dropped must not be kept by decisions that nobody uses any more.
  if (!planned) return plans_.release_unused();
  const Index calls = planned->finished.close();
  records.finished(planned->facts, calls);
  note(planned->facts, calls);
  plans_.forget();
}

template <Element T>
void CallSeries<T>::look_again(Records& records) noexcept {
  if (plans_.get()) forget_plan(records);
}

template <Element T>
void CallSeries<T>::timed(State state, std::string_view variant, const CallTime& time,
                          Records& records) noexcept {
  if (dispatcher_.note_time(state, variant, time)) look_again(records);
}

template class PlanCache<float>;
template class PlanCache<double>;
template class CallSeries<float>;
template class CallSeries<double>;

}  // namespace switchyard
