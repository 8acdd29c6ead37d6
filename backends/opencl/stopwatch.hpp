// Timing a stretch of a queue without waiting for it.
#pragma once

#include <memory>
#include <switchyard/backends/executor.hpp>

#include "in_order_queue.hpp"

namespace switchyard::opencl {

/// Times by markers in `queue`, between which it keeps the times of its commands. A device that
/// cannot tell is one that never knows a time.
[[nodiscard]] std::unique_ptr<Stopwatch> make_queue_stopwatch(std::shared_ptr<InOrderQueue> queue);

}  // namespace switchyard::opencl
