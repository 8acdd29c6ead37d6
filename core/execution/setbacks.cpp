// Telling what a failure calls for.
#include "execution/setbacks.hpp"

#include <algorithm>

#include "execution/failures.hpp"

namespace switchyard {

void Setbacks::clear() noexcept {
  refused_.clear();
  room_made_.clear();
  last_.reset();
}

bool Setbacks::is_beyond_recovery(const StepError& failure) noexcept {
  const ErrorCode code = failure.error.code();
  return code == ErrorCode::InvalidArgument || code == ErrorCode::DimensionMismatch ||
         (failure.state.space.is_host() && device_has_failed(failure.error));
}

Remedy Setbacks::remedy_for(const StepError& failure, bool builds) {
  if (is_beyond_recovery(failure)) return Remedy::Rethrow;
  last_ = failure.error;
  if (device_has_failed(failure.error)) return Remedy::GiveUpSpace;
  if (!builds) return Remedy::PlanWithoutProgram;
  const bool first_time = std::ranges::find(room_made_, failure.state) == room_made_.end();
  if (memory_was_short(failure.error) && first_time) {
    room_made_.push_back(failure.state);
    return Remedy::MakeRoom;
  }
  // A state that was to be left out and has been used all the same would be so for ever.
  if (refuses(failure.state)) return Remedy::Rethrow;
  refused_.push_back({failure.state, failure.error.what(), true});
  return Remedy::RefuseState;
}

bool Setbacks::forget_short_memory() {
  const auto forgotten = std::erase_if(refused_, [this](const RefusedState& refused) {
    return std::ranges::find(room_made_, refused.state) != room_made_.end();
  });
  room_made_.clear();
  return forgotten > 0;
}

bool Setbacks::refuses(State state) const noexcept {
  return std::ranges::find(refused_, state, &RefusedState::state) != refused_.end();
}

}  // namespace switchyard
