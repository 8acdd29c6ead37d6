// Handing out the stopwatch, and reading it.
#include "execution/product_timer.hpp"

namespace switchyard {

TimingRequest ProductTimer::arranged(Executor& executor, const ProductKind& work, bool wait) {
  if (work.state.space.is_host()) return {.by_clock = true};
  if (executor_ != &executor) {
    forget();
    stopwatch_ = executor.make_stopwatch();
    executor_ = &executor;
  }
  if (!stopwatch_ || stage_ != Stage::Idle) return {};
  stage_ = Stage::Arranged;
  work_ = work;
  return {.awaited = wait, .stopwatch = stopwatch_};
}

void ProductTimer::enqueued(const TimingRequest& request) noexcept {
  if (request.stopwatch && request.stopwatch == stopwatch_) stage_ = Stage::Enqueued;
}

std::optional<DeviceTime> ProductTimer::collect() noexcept {
  if (stage_ != Stage::Enqueued) return std::nullopt;
  const auto time = stopwatch_->elapsed();
  if (!time) return std::nullopt;
  stage_ = Stage::Idle;
  return DeviceTime{work_, *time};
}

void ProductTimer::forget() noexcept {
  executor_ = nullptr;
  stopwatch_.reset();
  stage_ = Stage::Idle;
}

}  // namespace switchyard
