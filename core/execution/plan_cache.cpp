// Remembering, following and forgetting a decision.
#include "execution/plan_cache.hpp"

#include <thread>

namespace switchyard {

template <Element T>
PlannedCall<T>* PlanCache<T>::find(std::uint64_t runtime_version, const VectorTraffic& traffic,
                                   Index calls) const noexcept {
  if (!planned_) return nullptr;
  const PlanValidity& validity = planned_->validity;
  const bool holds = validity.runtime_version == runtime_version && calls < validity.until_calls &&
                     validity.traffic == traffic;
  return holds ? planned_.get() : nullptr;
}

template <Element T>
std::optional<FollowingCall<T>> PlanCache<T>::follow(std::uint64_t runtime_version,
                                                     const VectorTraffic& traffic,
                                                     const VectorSizes& sizes) noexcept {
  std::optional<FollowingCall<T>> call;
  // Before the decision is looked at: `forget` takes the offer back before it looks here.
  looking_.fetch_add(1);
  if (PlannedCall<T>* const planned = offered_.load()) {
    const PlanValidity& validity = planned->validity;
    VectorTraffic expected = validity.traffic;
    expected.between = traffic.between;
    if (validity.runtime_version == runtime_version && expected == traffic &&
        planned->sizes == sizes) {
      call.emplace(FollowingCall<T>{planned, CopyInUse<T>::beside_others(*planned->copy)});
      followed_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  looking_.fetch_sub(1);
  return call;
}

template <Element T>
void PlanCache<T>::remember(std::shared_ptr<PlannedCall<T>> planned) noexcept {
  planned_ = std::move(planned);
  offered_.store(planned_.get());
}

template <Element T>
void PlanCache<T>::forget() noexcept {
  if (!planned_) return;
  offered_.store(nullptr);
  // A few nanoseconds, but where that thread has just lost its processor.
  while (looking_.load() != 0) std::this_thread::yield();
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

template class PlanCache<float>;
template class PlanCache<double>;

}  // namespace switchyard
