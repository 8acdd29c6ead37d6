// Loading libraries by name.
#include "dynamic_library.hpp"

#include <dlfcn.h>

#include <switchyard/containers/error.hpp>

namespace switchyard::command::bench {

DynamicLibrary::DynamicLibrary(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    name_ = name;
    if (handle_) return;
  }
  const char* const reason = dlerror();
  throw Error(ErrorCode::Unsupported, reason ? reason : "cannot be loaded");
}

void* DynamicLibrary::lookup(const char* name) const noexcept { return dlsym(handle_, name); }

void* DynamicLibrary::address(const char* name) const {
  if (void* const found = lookup(name)) return found;
  throw Error(ErrorCode::Unsupported, std::string("there is no ") + name, name_);
}

}  // namespace switchyard::command::bench
