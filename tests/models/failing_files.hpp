// Stands between this program and the files it writes: the n-th call fails, or ends the process.
#pragma once

#include <cstddef>

namespace switchyard::test {

/// What happens at one of the calls of open (for writing), write, fsync, close and rename.
enum class Mishap {
  None,
  Fail,         ///< it does nothing and says `error`
  Half,         ///< a write takes only half of the bytes, the other calls are as usual
  Interrupt,    ///< a write is interrupted by a signal once, the other calls are as usual
  KillBefore,   ///< SIGKILL in its stead
  KillHalfway,  ///< SIGKILL after half of a write; before any other call
  KillAfter     ///< SIGKILL right after it
};

/// While it lives, the call number `at` (from 0) of this program has that mishap.
class FailingFiles {
 public:
  FailingFiles(Mishap mishap, std::size_t at, int error = 0);
  ~FailingFiles();
  FailingFiles(const FailingFiles&) = delete;
  FailingFiles& operator=(const FailingFiles&) = delete;

  /// How many calls there were.
  [[nodiscard]] std::size_t calls() const;
};

}  // namespace switchyard::test
