// The Khronos C++ bindings as this module uses them: OpenCL 1.2, failures as cl::Error.
#pragma once

// 1.2 is what every driver of interest offers, NVIDIA's and PoCL's among them, and asking for no
// more keeps entry points out of the link that an older loader lacks.
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_ENABLE_EXCEPTIONS

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wpedantic"
#include <CL/opencl.hpp>
#pragma GCC diagnostic pop
