// What has failed for one matrix, and what is to be tried next.
#pragma once

#include <optional>
#include <string_view>
#include <switchyard/containers/error.hpp>
#include <switchyard/core/plan.hpp>
#include <vector>

namespace switchyard {

/// A step or a call that could not be done. Never leaves the library.
struct StepError {
  State state;  ///< the state whose use it was for
  Error error;
  std::string_view program = {};  ///< the kernel file it needed, if any
};

/// What to do about a failure before the next plan is made.
enum class Remedy {
  Rethrow,             ///< nothing: the call itself or the host is at fault
  GiveUpSpace,         ///< the device has failed
  PlanWithoutProgram,  ///< a kernel does not build: the next plan does without
  MakeRoom,            ///< memory was short: drop what can be spared, and try once more
  RefuseState          ///< do without this state until the contents change
};

/// The failures since the contents of one matrix last changed. Each remedy but the first leaves
/// less to be tried, so that planning again always ends. Not synchronised.
class Setbacks {
 public:
  /// The contents changed: everything may be tried again. Allocates nothing.
  void clear() noexcept;

  /// What to do about `failure`, and notes that it is being done. `builds` tells whether the kernel
  /// file that it needed, if any, can be built.
  [[nodiscard]] Remedy remedy_for(const StepError& failure, bool builds);
  /// The same without noting anything: whether nothing else can help.
  [[nodiscard]] static bool is_beyond_recovery(const StepError& failure) noexcept;

  /// After a call that failed for want of memory: the next one finds more, or fails by itself.
  /// Returns whether a state was refused for that.
  bool forget_short_memory();

  /// States to be left out of plans.
  [[nodiscard]] const std::vector<RefusedState>& refused() const noexcept { return refused_; }
  /// Whether `state` is among them.
  [[nodiscard]] bool refuses(State state) const noexcept;
  /// The last failure, if any.
  [[nodiscard]] const std::optional<Error>& last() const noexcept { return last_; }

 private:
  std::vector<RefusedState> refused_;
  std::vector<State> room_made_;  // states for which other copies gave way once already
  std::optional<Error> last_;
};

}  // namespace switchyard
