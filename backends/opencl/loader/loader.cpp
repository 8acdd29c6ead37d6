// Finding the OpenCL loader: the one that the process has already, or the system's.
#include "loader.hpp"

#include <dlfcn.h>

namespace switchyard::opencl {
namespace {

constexpr auto file_name = "libOpenCL.so.1";
/// Each version of OpenCL adds entry points, and this library needs those of 1.2: this is one.
constexpr auto newest_entry_point = "clEnqueueMarkerWithWaitList";

struct Loader {
  void* handle = nullptr;  ///< for dlsym
  std::string fault;       ///< empty: the handle may be used
};

Loader find_loader() {
  // What the program links or a tool preloads comes first: handles must not come from two loaders,
  // and tools such as oclgrind stand in front of the loader in this way.
  Loader loader{.handle = RTLD_DEFAULT, .fault = {}};
  if (!::dlsym(loader.handle, "clGetPlatformIDs")) {
    // Never closed: drivers have threads and exit handlers.
    loader.handle = ::dlopen(file_name, RTLD_NOW | RTLD_LOCAL);
    if (!loader.handle) {
      const char* const reason = ::dlerror();
      loader.fault =
          std::string("there is no OpenCL loader (") + (reason ? reason : file_name) + ")";
      return loader;
    }
  }
  if (!::dlsym(loader.handle, newest_entry_point)) {
    loader.fault = std::string("the OpenCL loader is older than OpenCL 1.2 (it has no ") +
                   newest_entry_point + ")";
  }
  return loader;
}

/// Never destroyed: exit handlers still call OpenCL.
const Loader& loader() {
  static const auto* const found = new Loader(find_loader());
  return *found;
}

}  // namespace

const std::string& loader_fault() { return loader().fault; }

void* loader_function(const char* name) {
  return loader().fault.empty() ? ::dlsym(loader().handle, name) : nullptr;
}

}  // namespace switchyard::opencl
