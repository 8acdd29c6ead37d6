// The OpenCL devices of this machine.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <switchyard/backends/executor.hpp>
#include <vector>

namespace switchyard {

/// One executor for each OpenCL device, numbered from the most capable: discrete GPUs first,
/// OpenCL on the processor last. `selection` is a comma-separated list of positions in that order
/// ("0,2"), of words found in a device's name or platform ("nvidia"), "all" (or empty), or "none".
/// Empty where there is no OpenCL loader, platform or device; a device that cannot be opened is
/// left out with a warning in the log. Throws `Error(InvalidArgument)` for a selection that names
/// no device.
[[nodiscard]] std::vector<std::shared_ptr<Executor>> open_opencl_devices(
    const std::string& selection = {});

/// Where compiled kernels are kept for the next process.
struct KernelCache {
  std::filesystem::path folder;  ///< empty where the environment names no place
  std::string fault;             ///< why nothing is kept there; empty where it is
};
/// The place by the environment, looked at as of now.
[[nodiscard]] KernelCache kernel_cache();

}  // namespace switchyard
