// The table of OpenCL's error codes and what they mean here.
#include "errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace switchyard::opencl {
namespace {

struct Meaning {
  cl_int status;
  std::string_view name;
  ErrorCode code;
};

// NVIDIA's driver answers so once a kernel has faulted or the device has fallen off the bus.
constexpr cl_int nvidia_device_fault = -9999;
constexpr cl_int platform_not_found = -1001;  // CL_PLATFORM_NOT_FOUND_KHR, from the loader

constexpr std::array meanings{
    Meaning{CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND", ErrorCode::DeviceUnavailable},
    Meaning{CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE", ErrorCode::DeviceLost},
    Meaning{CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE", ErrorCode::BuildFailed},
    Meaning{CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE",
            ErrorCode::DeviceOutOfMemory},
    Meaning{CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES", ErrorCode::DeviceOutOfMemory},
    Meaning{CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY", ErrorCode::DeviceOutOfMemory},
    Meaning{CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE", ErrorCode::BuildFailed},
    Meaning{CL_MAP_FAILURE, "CL_MAP_FAILURE", ErrorCode::DeviceOutOfMemory},
    Meaning{CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
            "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", ErrorCode::DeviceLost},
    Meaning{CL_COMPILE_PROGRAM_FAILURE, "CL_COMPILE_PROGRAM_FAILURE", ErrorCode::BuildFailed},
    Meaning{CL_LINKER_NOT_AVAILABLE, "CL_LINKER_NOT_AVAILABLE", ErrorCode::BuildFailed},
    Meaning{CL_LINK_PROGRAM_FAILURE, "CL_LINK_PROGRAM_FAILURE", ErrorCode::BuildFailed},
    Meaning{CL_INVALID_VALUE, "CL_INVALID_VALUE", ErrorCode::Internal},
    Meaning{CL_INVALID_PLATFORM, "CL_INVALID_PLATFORM", ErrorCode::DeviceUnavailable},
    Meaning{CL_INVALID_DEVICE, "CL_INVALID_DEVICE", ErrorCode::DeviceUnavailable},
    Meaning{CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT", ErrorCode::DeviceLost},
    Meaning{CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE", ErrorCode::DeviceLost},
    Meaning{CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT", ErrorCode::Internal},
    Meaning{CL_INVALID_BINARY, "CL_INVALID_BINARY", ErrorCode::BuildFailed},
    Meaning{CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS", ErrorCode::BuildFailed},
    Meaning{CL_INVALID_PROGRAM, "CL_INVALID_PROGRAM", ErrorCode::Internal},
    Meaning{CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE", ErrorCode::BuildFailed},
    Meaning{CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME", ErrorCode::Internal},
    Meaning{CL_INVALID_KERNEL, "CL_INVALID_KERNEL", ErrorCode::Internal},
    Meaning{CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX", ErrorCode::Internal},
    Meaning{CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE", ErrorCode::Internal},
    Meaning{CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE", ErrorCode::Internal},
    Meaning{CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS", ErrorCode::Internal},
    Meaning{CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE", ErrorCode::Internal},
    Meaning{CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE", ErrorCode::Internal},
    Meaning{CL_INVALID_EVENT, "CL_INVALID_EVENT", ErrorCode::Internal},
    Meaning{CL_INVALID_OPERATION, "CL_INVALID_OPERATION", ErrorCode::Internal},
    // A single buffer beyond the device's largest allocation.
    Meaning{CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE", ErrorCode::DeviceOutOfMemory},
    Meaning{CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE", ErrorCode::Internal},
    Meaning{platform_not_found, "CL_PLATFORM_NOT_FOUND_KHR", ErrorCode::DeviceUnavailable},
    Meaning{nvidia_device_fault, "illegal access or lost device", ErrorCode::DeviceLost},
};

const Meaning* find(cl_int status) noexcept {
  const auto found = std::ranges::find(meanings, status, &Meaning::status);
  return found == meanings.end() ? nullptr : &*found;
}

// A log of templates gone wrong can have megabytes; what matters stands at its start.
constexpr std::size_t longest_log = 4000;

std::string log_of(const cl::BuildError& error) {
  std::string text;
  for (const auto& [device, log] : error.getBuildLog()) text += log;
  while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
  return text.substr(0, longest_log);
}

}  // namespace

std::string_view name(cl_int status) noexcept {
  const Meaning* meaning = find(status);
  return meaning ? meaning->name : "unknown code";
}

ErrorCode meaning_of(cl_int status) noexcept {
  const Meaning* meaning = find(status);
  return meaning ? meaning->code : ErrorCode::Internal;
}

Error translated(const cl::Error& error, const std::string& where) {
  std::string what =
      fmt::format("{} failed with {} ({})", error.what() ? error.what() : "an OpenCL call",
                  name(error.err()), error.err());
  const auto* build = dynamic_cast<const cl::BuildError*>(&error);
  if (build) what += ": " + log_of(*build);
  return {meaning_of(error.err()), what, where};
}

}  // namespace switchyard::opencl
