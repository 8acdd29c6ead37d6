// One build at a time among all processes of a user.
#pragma once

#include <chrono>
#include <filesystem>

namespace switchyard::opencl {

/// Holds a lock file from construction to destruction. PoCL 3.1 aborts the process where two
/// processes put the same program into its cache at once, which is what the first run of a
/// parallel test suite does.
///
/// Best effort: where the file is not named or cannot be opened, or another holds it for longer
/// than `patience`, the build goes on without the lock.
class BuildLock {
 public:
  explicit BuildLock(const std::filesystem::path& file,
                     std::chrono::milliseconds patience = std::chrono::seconds(60)) noexcept;
  ~BuildLock();
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;

  [[nodiscard]] bool held() const noexcept { return held_; }

 private:
  int descriptor_ = -1;
  bool held_ = false;
};

}  // namespace switchyard::opencl
