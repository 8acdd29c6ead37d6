// Doing the moves of a plan.
#pragma once

#include "execution/copies.hpp"
#include "execution/records.hpp"
#include "execution/setbacks.hpp"
#include "runtime_state.hpp"

namespace switchyard {

/// The contents of one matrix: what is known of them, and where they are.
template <Element T>
struct Contents {
  Structure structure = {};
  Copies<T> copies = {};
  std::optional<bool> symmetric = {};  ///< nothing: nobody has asked yet
};

/// Converts and transfers one matrix. Not synchronised: REQUIRES of every member that nobody else
/// uses what the runner was made with.
template <Element T>
class PlanRunner {
 public:
  /// All of these have to outlive it.
  PlanRunner(RuntimeState& runtime, Contents<T>& contents, Records& records, ClockFunction now)
      : runtime_(runtime), contents_(contents), records_(records), now_(now) {}

  /// Does the moves of `plan`, but for those to states that hold a copy already, making room where
  /// the memory budget has none. Each new copy joins `contents`, each move the records; a CSR copy
  /// on the host also tells how many nonzeros there are. Throws `StepError`; the moves before it
  /// stay done.
  void walk(const Plan& plan);

 private:
  void move(const Step& step, Reason reason);
  void make_room_for(State state, std::size_t bytes);
  /// What the move allocates for the new copy: all of it but what it shares with the old one.
  [[nodiscard]] double new_bytes(const Step& step) const;
  [[nodiscard]] Storage<T> moved(const Step& step, const Storage<T>& from) const;

  RuntimeState& runtime_;
  Contents<T>& contents_;
  Records& records_;
  ClockFunction now_;
};

}  // namespace switchyard
