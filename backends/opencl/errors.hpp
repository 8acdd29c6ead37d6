// OpenCL's failures as the library's: one translation, at the edge of this module.
#pragma once

#include <string>
#include <string_view>
#include <switchyard/containers/error.hpp>

#include "cl.hpp"

namespace switchyard::opencl {

/// The name of an OpenCL error code, e.g. "CL_OUT_OF_RESOURCES"; "unknown code" for others.
[[nodiscard]] std::string_view name(cl_int status) noexcept;

/// What kind of failure a code means for whoever called.
[[nodiscard]] ErrorCode meaning_of(cl_int status) noexcept;

/// An OpenCL failure as ours; `where` names the device. A failed build carries the compiler's log.
[[nodiscard]] Error translated(const cl::Error& error, const std::string& where);

/// Runs `body`; a cl::Error that leaves it becomes an `Error`.
template <class Body>
decltype(auto) translating(const std::string& where, Body&& body) {
  try {
    return body();
  } catch (const cl::Error& error) {
    throw translated(error, where);
  }
}

}  // namespace switchyard::opencl
