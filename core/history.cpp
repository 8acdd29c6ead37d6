// Recording steps as they are done.
#include "history.hpp"

namespace switchyard {
namespace {

constexpr std::size_t most_steps = 100;

}  // namespace

void History::add(Step step) {
  if (steps_.size() == most_steps) steps_.erase(steps_.begin());
  steps_.push_back(std::move(step));
}

void History::record_move(const Step& step, double seconds) {
  Step done = step;
  done.measured_seconds = seconds;
  add(std::move(done));
}

void History::record_product(State state, std::string_view variant, std::optional<double> seconds) {
  const bool goes_on = !steps_.empty() && steps_.back().kind == StepKind::Multiply &&
                       steps_.back().to == state && steps_.back().variant == variant;
  if (!goes_on) add({.kind = StepKind::Multiply, .from = state, .to = state, .variant = variant});
  Step& step = steps_.back();
  ++step.calls;
  if (!seconds) return;
  ++step.measured_calls;
  step.measured_seconds = step.measured_seconds.value_or(0) + *seconds;
}

}  // namespace switchyard
