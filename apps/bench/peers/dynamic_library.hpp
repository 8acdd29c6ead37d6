// A shared library that may or may not be on the machine.
#pragma once

#include <initializer_list>
#include <string>

namespace switchyard::command::bench {

/// Loaded for as long as the process lives, its names kept from everyone else: several libraries
/// define cblas_sgemv, and each must find its own.
class DynamicLibrary {
 public:
  /// The first of the names that can be loaded. Throws `Error(Unsupported)` where none can.
  explicit DynamicLibrary(std::initializer_list<const char*> names);

  /// The function of that name, or the variable's address. Throws `Error(Unsupported)`.
  template <class Type>
  [[nodiscard]] Type* get(const char* name) const {
    return reinterpret_cast<Type*>(address(name));
  }
  /// The same, or null.
  template <class Type>
  [[nodiscard]] Type* find(const char* name) const noexcept {
    return reinterpret_cast<Type*>(lookup(name));
  }

 private:
  [[nodiscard]] void* lookup(const char* name) const noexcept;
  [[nodiscard]] void* address(const char* name) const;

  void* handle_ = nullptr;
  std::string name_;
};

}  // namespace switchyard::command::bench
