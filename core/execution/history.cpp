// Recording steps as they are done.
#include "execution/history.hpp"

#include <algorithm>

namespace switchyard {
namespace {

constexpr std::size_t most_steps = 100;

}  // namespace

void History::reserve() { steps_.reserve(most_steps); }

void History::add(Step step) {
  if (steps_.size() == most_steps) steps_.erase(steps_.begin());
  steps_.push_back(std::move(step));
}

void History::record_move(const Step& step, double seconds) {
  Step done = step;
  done.measured_seconds = seconds;
  add(std::move(done));
}

Step* History::last_products(State state, std::string_view variant) noexcept {
  if (steps_.empty()) return nullptr;
  Step& last = steps_.back();
  const bool is_it = last.kind == StepKind::Multiply && last.to == state && last.variant == variant;
  return is_it ? &last : nullptr;
}

void History::record_products(State state, std::string_view variant, Index calls) {
  if (!last_products(state, variant)) {
    add({.kind = StepKind::Multiply, .from = state, .to = state, .variant = variant});
  }
  steps_.back().calls += calls;
}

void History::record_time(State state, std::string_view variant, double seconds) noexcept {
  Step* const step = last_products(state, variant);
  if (!step) return;
  ++step->measured_calls;
  step->measured_seconds = step->measured_seconds.value_or(0) + seconds;
  step->slowest_seconds = std::max(step->slowest_seconds.value_or(0), seconds);
}

}  // namespace switchyard
