// Which process an OpenCL object belongs to.
#pragma once

#include <atomic>

namespace switchyard::opencl {

/// Remembers the process that it was made in. Drivers do not survive a fork: in the child, a call
/// may wait for ever for threads that only the parent has.
class OwningProcess {
 public:
  OwningProcess() noexcept;
  /// Whether this is a child of the process it was made in.
  [[nodiscard]] bool is_child() const noexcept {
    return forks_then_ != forks.load(std::memory_order_relaxed);
  }

 private:
  // Between the first process that asked and this one.
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a process has one number
  static std::atomic<unsigned> forks;
  unsigned forks_then_;
};

}  // namespace switchyard::opencl
