// What a failure of a step or an operation means for what is tried next.
#pragma once

#include <switchyard/backends/executor.hpp>
#include <switchyard/containers/error.hpp>

namespace switchyard {

/// Whether a failure is the device's, after which nothing else is tried on it.
[[nodiscard]] bool device_has_failed(const Error& error) noexcept;

/// Whether there was no room, so that it may succeed once there is.
[[nodiscard]] bool memory_was_short(const Error& error) noexcept;

/// What really went wrong where `executor` failed with `error`: what looks like a lack of memory is
/// also what drivers say of a device that is lost. Waits for the device to see which.
[[nodiscard]] Error diagnosed(Executor& executor, const Error& error);

}  // namespace switchyard
