// Remembering that a device is lost.
#include "health.hpp"

namespace switchyard::opencl {

void Health::require() const {
  if (of_parent()) {
    throw Error(ErrorCode::DeviceLost,
                "the device belongs to the process that this was forked from", device_,
                "a runtime that is to use devices is made after the last fork");
  }
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
