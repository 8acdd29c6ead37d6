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
  MergeTiles,  ///< of the offsets of a CSR matrix: see kernels/csr_merge.cl
  Bins,        ///< the same: see kernels/csr_binned.cl
  CooTiles     ///< of the row indices of a COO matrix: see kernels/coo_multiply.cl
};
inline constexpr std::array derived_kinds{DerivedKind::MergeTiles, DerivedKind::Bins,
                                          DerivedKind::CooTiles};

/// Derived data in the memory of the array it was derived from, and charged to it.
struct Derived {
  Derived(Array<std::uint64_t> made, Index all_groups, Index all_pieces)
      : array(std::move(made)), groups(all_groups), pieces(all_pieces) {}
  Array<std::uint64_t> array;
  Index groups;                ///< of `Bins`: work-groups of a launch
  Index pieces;                ///< of `Bins`: work-groups that may share a row
  std::mutex mutex;            ///< held until all launches of a call are enqueued
  std::uint32_t launches = 0;  ///< calls that used it so far, modulo 2^32; guarded by `mutex`
};

/// The derived data of one memory (docs/decisions/0016). It is made where a kernel first needs it,
/// and dropped when its array is released or overwritten. All members may be called from any
/// thread.
class DerivedData {
 public:
  /// What is kept beside the allocation `source`, or null. It stays for as long as the allocation
  /// is neither released nor overwritten.
  [[nodiscard]] Derived* find(const void* source, DerivedKind kind) noexcept;
  /// Keeps a `Derived` of `array`, unless another thread was faster: then the array is released.
  /// Returns what is kept. Throws std::bad_alloc.
  Derived& keep(const void* source, DerivedKind kind, Array<std::uint64_t> array, Index groups = 0,
                Index pieces = 0);
  /// Drops everything beside `source`.
  void drop(const void* source) noexcept;

 private:
  std::mutex mutex_;
  std::map<std::pair<const void*, DerivedKind>, Derived> entries_;
};

}  // namespace switchyard::opencl
