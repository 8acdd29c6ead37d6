// The OpenCL devices of this machine.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <switchyard/backends/executor.hpp>
#include <vector>

namespace switchyard {

/// Opens the OpenCL devices. Returns one executor for each, from the most capable: discrete GPUs
/// first, OpenCL on the processor last. `selection` is "all" (or empty), "none", or a list with
/// commas of positions in that order ("0,2") or of words in a device's name or platform ("nvidia").
/// Returns an empty list without an OpenCL loader, platform or device. A device that cannot be
/// opened is left out with a warning in the log. Throws `Error(InvalidArgument)` for a selection
/// that names no device.
[[nodiscard]] std::vector<std::shared_ptr<Executor>> open_opencl_devices(
    const std::string& selection = {});

/// Why there is no usable OpenCL loader (`libOpenCL.so.1`, which finds the drivers); empty if
/// there is one. It is looked for once in a process, when devices are first opened or in the first
/// call. Threads: may be called from any thread.
[[nodiscard]] std::string opencl_loader_fault();

/// The platforms that this process does not use, one line for each with the reason. Their driver
/// crashed or hung when it was tried in another process, or something that it needs is missing. One
/// line if there is no OpenCL loader. Empty before devices are first opened. Threads: may be called
/// from any thread.
[[nodiscard]] std::vector<std::string> opencl_left_out();

/// Waits for the work of all devices and for the kernels that are being built; from then on no
/// device takes new work: it throws `Error(DeviceUnavailable)`. At the end of the process this
/// happens by itself, but too late where another thread is inside the first build of all, whose
/// compiler is then taken down. For programs that have such threads, and for interpreters. Threads:
/// may be called from any thread.
void end_opencl_work() noexcept;

/// The folder in which compiled kernels are kept for later processes.
struct KernelCache {
  std::filesystem::path folder;  ///< empty if the environment names none
  std::string fault;             ///< why nothing is kept there; empty if kernels are
};
/// The kernel cache according to the environment, checked at each call.
[[nodiscard]] KernelCache kernel_cache();

}  // namespace switchyard
