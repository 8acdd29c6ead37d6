// The built-in profile for the executors at hand.
#pragma once

#include <memory>
#include <switchyard/backends/executor.hpp>
#include <switchyard/containers/threads.hpp>
#include <switchyard/models/profile.hpp>
#include <vector>

namespace switchyard {

/// The host's threads that the kernel of a multiply uses; all of them for any other key.
[[nodiscard]] Threads threads_of(const ModelKey& key);

/// Every operation of the tables on these executors, as models know it.
[[nodiscard]] std::vector<ModelKey> operation_keys(
    const std::vector<std::shared_ptr<Executor>>& executors);

/// Models that nobody measured, from what is usual for such hardware.
[[nodiscard]] Profile builtin_models(const Fingerprint& fingerprint,
                                     const std::vector<std::shared_ptr<Executor>>& executors);

}  // namespace switchyard
