// The OpenCL loader of this process, looked for when it is first needed (docs/decisions/0018).
#pragma once

#include <string>

namespace switchyard::opencl {

/// Why there is no usable OpenCL loader; empty where there is one. Looks for it in the first call.
/// Threads: may be called from any thread.
[[nodiscard]] const std::string& loader_fault();

/// The loader's function of that name; null where there is none. Threads: as above.
[[nodiscard]] void* loader_function(const char* name);

}  // namespace switchyard::opencl
