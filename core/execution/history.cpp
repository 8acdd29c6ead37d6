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

void History::record_skeleton(const Step& step, std::optional<double> seconds) {
  const bool again =
      !steps_.empty() && steps_.back().kind == step.kind && steps_.back().to == step.to;
  if (!again) {
    add(step);
    steps_.back().predicted_seconds = 0;
  }
  Step& last = steps_.back();
  ++last.calls;
  last.predicted_seconds += step.predicted_seconds;
  if (!seconds) return;
  ++last.measured_calls;
  last.measured_seconds = last.measured_seconds.value_or(0) + *seconds;
}

Step* History::last_products(const ProductKind& products) noexcept {
  if (steps_.empty()) return nullptr;
  Step& last = steps_.back();
  const bool is_it = last.kind == StepKind::Multiply && last.request == products.request &&
                     last.to == products.state && last.variant == products.variant;
  return is_it ? &last : nullptr;
}

void History::record_products(const ProductKind& products, Index calls) {
  if (!last_products(products)) {
    add({.kind = StepKind::Multiply,
         .request = products.request,
         .from = products.state,
         .to = products.state,
         .variant = products.variant});
  }
  steps_.back().calls += calls;
}

void History::record_time(const ProductKind& product, double seconds) noexcept {
  Step* const step = last_products(product);
  if (!step) return;
  ++step->measured_calls;
  step->measured_seconds = step->measured_seconds.value_or(0) + seconds;
  step->slowest_seconds = std::max(step->slowest_seconds.value_or(0), seconds);
}

}  // namespace switchyard
