// Work without Python's global lock.
#pragma once

#include <nanobind/nanobind.h>

namespace switchyard::python {

/// While it lives, other Python threads run. Where the interpreter ends meanwhile, its thread waits
/// for the end of the process: up to 3.13 Python would end the thread by unwinding its stack, which
/// no C++ frame here survives.
class Unlocked {
 public:
  /// REQUIRES: the lock is held.
  Unlocked();
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* thread_;
};

/// From now on only the calling thread gets the lock back. Waits for those that are about to take
/// it. REQUIRES: the lock is held. For `atexit`.
void stop_other_threads();

/// Calls `work` without the lock.
template <class Work>
auto unlocked(const Work& work) {
  const Unlocked scope;
  return work();
}

}  // namespace switchyard::python
