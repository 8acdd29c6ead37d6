// Timing a stretch of a queue without waiting for it.
#pragma once

#include <memory>
#include <switchyard/backends/executor.hpp>

#include "cl.hpp"

namespace switchyard::opencl {

/// Times by markers in `queue`, which keeps the times of its commands
/// (CL_QUEUE_PROFILING_ENABLE). A device that cannot tell is one that never knows a time.
[[nodiscard]] std::unique_ptr<Stopwatch> make_queue_stopwatch(cl::CommandQueue queue);

}  // namespace switchyard::opencl
