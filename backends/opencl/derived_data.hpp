// What kernels derive from an array in a device's memory and keep beside it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <switchyard/containers/array.hpp>
#include <utility>

namespace switchyard::opencl {

/// What can be derived from an array.
enum class DerivedKind {
  MergeTiles  ///< of the offsets of a CSR matrix: see kernels/csr_merge.cl
};
inline constexpr std::array derived_kinds{DerivedKind::MergeTiles};

/// Derived data in the memory of the array it was derived from, and charged to it.
struct Derived {
  explicit Derived(Array<std::uint64_t> made) : array(std::move(made)) {}
  Array<std::uint64_t> array;
  std::mutex mutex;            ///< held until all launches of a call are enqueued
  std::uint32_t launches = 0;  ///< calls that used it so far, modulo 2^32; guarded by `mutex`
};

/// The derived data of one memory. It is made where a kernel first needs it, and dropped when its
/// array is released or overwritten. All members may be called from any thread.
class DerivedData {
 public:
  /// What is kept beside the allocation `source`, or null. It stays for as long as the allocation
  /// is neither released nor overwritten.
  [[nodiscard]] Derived* find(const void* source, DerivedKind kind) noexcept;
  /// Keeps `array`, unless another thread was faster: then it is released. Returns what is kept.
  /// Throws std::bad_alloc.
  Derived& keep(const void* source, DerivedKind kind, Array<std::uint64_t> array);
  /// Drops everything beside `source`.
  void drop(const void* source) noexcept;

 private:
  std::mutex mutex_;
  std::map<std::pair<const void*, DerivedKind>, Derived> entries_;
};

}  // namespace switchyard::opencl
