// The host's executor.
#pragma once

#include <memory>
#include <switchyard/backends/executor.hpp>

namespace switchyard {

/// The executor of the host's processors, with so many threads; 0: `host_threads()`. Never fails.
[[nodiscard]] std::shared_ptr<Executor> make_host_executor(int threads = 0);

}  // namespace switchyard
