// The host's executor.
#pragma once

#include <memory>
#include <switchyard/backends/executor.hpp>

namespace switchyard {

/// The host's processors, with OpenMP's own number of threads. Never fails.
[[nodiscard]] std::shared_ptr<Executor> make_host_executor();

}  // namespace switchyard
