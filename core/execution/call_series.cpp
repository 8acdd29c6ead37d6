// Recording the calls that were made, and forgetting the decision when they ask for another.
#include "execution/call_series.hpp"

#include <new>

namespace switchyard {

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
  records.remembered(plans_.take_followed());
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
  if (dispatcher_.passes_check(state, variant, time)) return;
  const CallTime alone = Dispatcher::without_launch(state, time);
  if (dispatcher_.note_time(state, variant, alone)) look_again(records);
}

template class CallSeries<float>;
template class CallSeries<double>;

}  // namespace switchyard
