// What OpenCL's codes become.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "opencl/errors.hpp"

namespace switchyard::opencl::testing {
namespace {

TEST(OpenClErrors, CodesMeanWhatTheCallerMustDo) {
  const std::pair<cl_int, ErrorCode> expected[] = {
      {CL_MEM_OBJECT_ALLOCATION_FAILURE, ErrorCode::DeviceOutOfMemory},
      {CL_OUT_OF_RESOURCES, ErrorCode::DeviceOutOfMemory},
      {CL_OUT_OF_HOST_MEMORY, ErrorCode::DeviceOutOfMemory},
      {CL_INVALID_BUFFER_SIZE, ErrorCode::DeviceOutOfMemory},
      {CL_BUILD_PROGRAM_FAILURE, ErrorCode::BuildFailed},
      {CL_COMPILER_NOT_AVAILABLE, ErrorCode::BuildFailed},
      {CL_DEVICE_NOT_AVAILABLE, ErrorCode::DeviceLost},
      {CL_INVALID_CONTEXT, ErrorCode::DeviceLost},
      {CL_INVALID_COMMAND_QUEUE, ErrorCode::DeviceLost},
      {-9999, ErrorCode::DeviceLost},
      {CL_DEVICE_NOT_FOUND, ErrorCode::DeviceUnavailable},
      {CL_INVALID_KERNEL_ARGS, ErrorCode::Internal},
      {-12345, ErrorCode::Internal}};
  for (const auto& [status, code] : expected) {
    const Error error = translated(cl::Error(status, "clSomething"), "the device");
    EXPECT_EQ(error.code(), code) << status;
    EXPECT_EQ(error.where(), "the device");
    const std::string what = error.what();
    EXPECT_NE(what.find("clSomething"), std::string::npos) << what;
    EXPECT_NE(what.find(std::to_string(status)), std::string::npos) << what;
  }
  EXPECT_EQ(opencl::name(CL_OUT_OF_RESOURCES), "CL_OUT_OF_RESOURCES");
}

}  // namespace
}  // namespace switchyard::opencl::testing
