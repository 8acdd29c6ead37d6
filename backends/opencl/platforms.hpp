// What OpenCL devices there are, without opening them.
#pragma once

#include <string>
#include <switchyard/backends/executor.hpp>
#include <vector>

#include "cl.hpp"
#include "kernel_cache.hpp"

namespace switchyard::opencl {

/// A device that this library can use.
struct FoundDevice {
  cl::Device device;
  std::string platform;
  ExecutorFacts facts;
  bool discrete = false;
  bool is_processor = false;
  double capability = 0;  ///< compute units times clock: for comparing devices of a kind
};

/// All usable devices, the most capable first: discrete GPUs, GPUs that share the host's memory,
/// others, processors. A device that cannot be used is left out with a warning in the log. Empty
/// where there is no loader, platform or device; never throws for want of them.
[[nodiscard]] std::vector<FoundDevice> find_devices();

/// What building for a platform's devices uses: a cache of binaries where the driver keeps none
/// itself, and a lock where processes get in each other's way.
[[nodiscard]] BuildFiles build_files_for(const std::string& platform);

}  // namespace switchyard::opencl
