// Which failures are a device's own.
#include "execution/failures.hpp"

#include <gtest/gtest.h>

#include "core/fake_device.hpp"

namespace switchyard {
namespace {

/// A device that was lost: the next wait for it finds out.
class LostDevice : public testing::FakeDevice {
 public:
  void finish() override { throw Error(ErrorCode::DeviceLost, "for a test"); }
};

ErrorCode diagnosis(Executor& executor, ErrorCode seen) {
  return diagnosed(executor, Error(seen, "for a test")).code();
}

TEST(Failures, ALackOfMemoryMayBeALostDevice) {
  testing::FakeDevice sound;
  LostDevice lost;
  for (const ErrorCode seen : {ErrorCode::DeviceOutOfMemory, ErrorCode::OutOfMemory}) {
    EXPECT_EQ(diagnosis(sound, seen), seen);
    EXPECT_EQ(diagnosis(lost, seen), ErrorCode::DeviceLost);
  }
  EXPECT_EQ(diagnosis(lost, ErrorCode::BuildFailed), ErrorCode::BuildFailed)
      << "only what may be something else is looked into";
}

TEST(Failures, EachIsTheDevicesOwnOrALackOfMemoryOrNeither) {
  for (const ErrorCode code :
       {ErrorCode::DeviceLost, ErrorCode::DeviceUnavailable, ErrorCode::Internal}) {
    EXPECT_TRUE(device_has_failed(Error(code, ""))) << name(code);
    EXPECT_FALSE(memory_was_short(Error(code, ""))) << name(code);
  }
  for (const ErrorCode code : {ErrorCode::OutOfMemory, ErrorCode::DeviceOutOfMemory}) {
    EXPECT_FALSE(device_has_failed(Error(code, ""))) << name(code);
    EXPECT_TRUE(memory_was_short(Error(code, ""))) << name(code);
  }
  for (const ErrorCode code : {ErrorCode::BuildFailed, ErrorCode::Unsupported}) {
    EXPECT_FALSE(device_has_failed(Error(code, ""))) << name(code);
    EXPECT_FALSE(memory_was_short(Error(code, ""))) << name(code);
  }
}

}  // namespace
}  // namespace switchyard
