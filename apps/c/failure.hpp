// The edge of the C interface: exceptions become a status and a text.
#pragma once

#include <switchyard.h>

#include <switchyard/containers/error.hpp>
#include <utility>

namespace switchyard::c {

/// Keeps the exception that is being handled as this thread's last error. Returns its status.
/// Allocates nothing. REQUIRES: inside a handler.
[[nodiscard]] sy_status current_failure() noexcept;

/// Does `action` and returns SY_OK, or the status of what it threw.
template <class Action>
[[nodiscard]] sy_status guarded(Action&& action) noexcept {
  try {
    std::forward<Action>(action)();
    return SY_OK;
  } catch (...) {
    return current_failure();
  }
}

/// This thread's last error.
[[nodiscard]] const char* last_error() noexcept;

}  // namespace switchyard::c
