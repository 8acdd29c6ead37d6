// Plain OpenCL beside the library's, in the context of one of its devices.
#pragma once

#include <switchyard/backends/executor.hpp>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_ENABLE_EXCEPTIONS

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wpedantic"
#include <CL/opencl.hpp>
#pragma GCC diagnostic pop

namespace switchyard::command::bench {

/// A queue of one's own in the library's context, so that its buffers can be used.
struct PlainOpenCl {
  cl::Context context;
  cl::Device device;
  cl::CommandQueue queue;
};

/// REQUIRES: an OpenCL executor. Throws cl::Error.
[[nodiscard]] PlainOpenCl plain_opencl(Executor& executor);

/// The buffer behind an array's handle.
[[nodiscard]] inline cl::Buffer buffer_of(void* handle) {
  return cl::Buffer(static_cast<cl_mem>(handle), true);
}

}  // namespace switchyard::command::bench
