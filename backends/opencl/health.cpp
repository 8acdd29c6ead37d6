// Remembering that a device is lost.
#include "health.hpp"

namespace switchyard::opencl {

void Health::require() const {
  if (!lost_) return;
  const std::lock_guard lock(mutex_);
  throw Error(ErrorCode::DeviceLost, "the device is lost: " + why_, device_);
}

void Health::lose(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (!lost_) why_ = why;
    lost_ = true;
  }
  throw Error(ErrorCode::DeviceLost, "the device is lost: " + why, device_);
}

}  // namespace switchyard::opencl
