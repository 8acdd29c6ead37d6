// Finishing the work of devices before the process takes their drivers down.
#pragma once

#include <string>

namespace switchyard::opencl {

class Device;

/// At exit, libraries destroy their static objects in the reverse order of their construction.
/// PoCL's threads then still compile kernels, with an LLVM that is partly gone, and crash the
/// process. So `exit` (and a return from main) first waits here for the devices' work; from then on
/// no device takes new work, and devices that are still alive are never destroyed.
///
/// It cannot help where one thread ends the process while another is inside the first build of all:
/// what the compiler has constructed meanwhile is destroyed before this can wait. Such a program
/// calls `end_opencl_work` first, as the Python package does.
///
/// All functions may be called from any thread.
namespace exit_guard {

/// From now on, waits for that device at exit, until `forget`.
void watch(Device& device);
void forget(Device& device) noexcept;

/// Runs the guard before everything that libraries have registered for the exit so far. To be
/// called whenever a driver may have set itself up further: after devices are opened and programs
/// built.
void arm() noexcept;

/// Whether the process is ending and devices take no more work.
[[nodiscard]] bool has_ended() noexcept;

/// Refuses work by `Error(DeviceUnavailable)`. Another thread than the one that ends the process is
/// delayed, so that the process normally ends before anyone sees the error.
[[noreturn]] void refuse(const std::string& device);

/// Keeps the address of what is not to be destroyed any more, so that leak checkers find it.
void keep(const void* object) noexcept;

}  // namespace exit_guard
}  // namespace switchyard::opencl
