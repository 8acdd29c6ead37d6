// The host's executor.
#pragma once

#include <memory>
#include <switchyard/backends/executor.hpp>

namespace switchyard {

/// The executor of the host's processors, with OpenMP's number of threads. Never fails.
[[nodiscard]] std::shared_ptr<Executor> make_host_executor();

}  // namespace switchyard
