// The one place that tells failures of devices from others.
#include "execution/failures.hpp"

namespace switchyard {

bool device_has_failed(const Error& error) noexcept {
  return error.code() == ErrorCode::DeviceLost || error.code() == ErrorCode::DeviceUnavailable ||
         error.code() == ErrorCode::Internal;
}

bool memory_was_short(const Error& error) noexcept {
  return error.code() == ErrorCode::OutOfMemory || error.code() == ErrorCode::DeviceOutOfMemory;
}

Error diagnosed(Executor& executor, const Error& error) {
  if (executor.space().is_host() || !memory_was_short(error)) return error;
  try {
    executor.finish();
  } catch (const Error& worse) {
    return worse;
  }
  return error;
}

}  // namespace switchyard
