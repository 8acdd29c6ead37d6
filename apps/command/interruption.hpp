// Ending in order when the user interrupts: what was measured so far is kept or shown.
#pragma once

#include <csignal>

namespace switchyard::command {

/// While it lives, the first SIGINT or SIGTERM only asks for an end; the second ends the program as
/// usual. One at a time.
class InterruptionGuard {
 public:
  InterruptionGuard();
  ~InterruptionGuard();
  InterruptionGuard(const InterruptionGuard&) = delete;
  InterruptionGuard& operator=(const InterruptionGuard&) = delete;

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
};

/// Whether an end was asked for.
[[nodiscard]] bool is_interrupted() noexcept;

}  // namespace switchyard::command
