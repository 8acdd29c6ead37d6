// One build at a time among all processes of a user.
#pragma once

#include <chrono>
#include <filesystem>

namespace switchyard::opencl {

/// How long a `BuildLock` waits.
struct BuildPatience {
  /// For a process that builds. A program takes PoCL some seconds, and several processes may queue.
  std::chrono::milliseconds most = std::chrono::seconds(30);
  /// After this long, the wait is told by a warning in the log; and the holder is not waited for
  /// any longer if it is stopped (by SIGSTOP, Ctrl-Z or a debugger).
  std::chrono::milliseconds silent = std::chrono::seconds(2);
};

/// Holds a lock file from construction to destruction. PoCL 3.1 aborts the process where two
/// processes put the same program into its cache at once, which is what the first run of a
/// parallel test suite does.
///
/// Best effort: where the file is not named or cannot be opened, or another process holds it and is
/// stopped or takes too long, the build goes on without the lock.
class BuildLock {
 public:
  explicit BuildLock(const std::filesystem::path& file, BuildPatience patience = {}) noexcept;
  ~BuildLock();
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;

  [[nodiscard]] bool held() const noexcept { return held_; }

 private:
  void wait(const std::filesystem::path& file, BuildPatience patience);

  int descriptor_ = -1;
  bool held_ = false;
};

}  // namespace switchyard::opencl
