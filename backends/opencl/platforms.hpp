// What OpenCL devices there are, without opening them.
#pragma once

#include <string>
#include <switchyard/backends/executor.hpp>
#include <vector>

#include "cl.hpp"

namespace switchyard::opencl {

/// A device that this library can use.
struct FoundDevice {
  cl::Device device;
  std::string platform;
  ExecutorFacts facts;
  bool discrete = false;
  double capability = 0;  ///< compute units times clock: for comparing devices of a kind
};

/// All usable devices, the most capable first: discrete GPUs, GPUs that share the host's memory,
/// others, processors. A device that cannot be used is left out with a warning in the log. Empty
/// where there is no loader, platform or device; never throws for want of them.
[[nodiscard]] std::vector<FoundDevice> find_devices();

/// Whether the platform's driver itself keeps compiled kernels on disk.
[[nodiscard]] bool keeps_binaries(const std::string& platform);

}  // namespace switchyard::opencl
