// Whether a device can still be believed.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "errors.hpp"
#include "process.hpp"

namespace switchyard::opencl {

/// Work is asked for without waiting, so that a failure may show only where somebody waits, and
/// nobody can tell then which results before it are whole. From such a moment on the device is
/// lost: nothing is read back from it, even if its driver would. All members may be called from any
/// thread.
class Health {
 public:
  explicit Health(std::string device) : device_(std::move(device)) {}

  /// Throws `Error(DeviceLost)` where the device is lost, or belongs to a parent process.
  void require() const;
  /// Whether the device belongs to the process that this one was forked from: nothing of it may be
  /// touched any more, not even to let it go.
  [[nodiscard]] bool of_parent() const noexcept { return process_.is_child(); }
  /// Declares the device lost, and throws `Error(DeviceLost)` with what went wrong.
  [[noreturn]] void lose(const std::string& why);

  /// Runs what completes a result, half of which stands where another one was. Where that fails,
  /// nobody may take it for either: the device is lost. Throws `Error(DeviceLost)`.
  template <class Body>
  void completing(Body&& body) {
    try {
      body();
    } catch (const Error& error) {
      lose(error.what());
    }
  }

  /// Runs what waits for work asked for before. Throws `Error(DeviceLost)` where that fails, or
  /// where the device is lost already.
  template <class Body>
  void awaiting(Body&& body) {
    require();
    try {
      body();
    } catch (const cl::Error& error) {
      lose(translated(error, device_).what());
    }
  }

 private:
  std::string device_;
  OwningProcess process_;
  std::atomic<bool> lost_{false};
  mutable std::mutex mutex_;  // guards why_
  std::string why_;
};

}  // namespace switchyard::opencl
