// Work without Python's global lock.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "forks.hpp"

namespace switchyard::python {

/// While it lives, other Python threads run. Where the interpreter ends meanwhile, its thread waits
/// for the end of the process: up to 3.13 Python would end the thread by unwinding its stack, which
/// no C++ frame here survives.
class Unlocked {
 public:
  /// Whether a fork waits for the end of the work.
  enum class Forks { Wait, Pass };
  /// REQUIRES: the lock is held. Work that takes it meanwhile lets forks pass: a thread that forks
  /// has it.
  explicit Unlocked(Forks forks = Forks::Wait);
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* thread_;
  std::optional<NoFork> no_fork_;
};

/// From now on only the calling thread gets the lock back, and no device takes work. Waits for
/// those that are about to take it and for what devices are doing. REQUIRES: the lock is held. For
/// `atexit`.
void stop_other_threads();

/// For a child process after a fork: the threads of its parent never come back for the lock.
void forget_other_threads() noexcept;

/// Calls `work` without the lock.
template <class Work>
auto unlocked(const Work& work, Unlocked::Forks forks = Unlocked::Forks::Wait) {
  const Unlocked scope(forks);
  return work();
}

}  // namespace switchyard::python
