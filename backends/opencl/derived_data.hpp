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
  MergeTiles,  ///< of the offsets of a CSR matrix, or of first heads: see kernels/csr_merge.cl
  Bins,        ///< of the offsets of a CSR matrix: see kernels/bins.cl
  CooTiles,    ///< of the row indices of a COO matrix: see kernels/coo_multiply.cl
  TeamRows,    ///< of the offsets of a CSR matrix: see kernels/csr_scatter.cl
  WindowParts  ///< of the columns of a CSR matrix: see kernels/csr_windows.cl
};
inline constexpr std::array derived_kinds{DerivedKind::MergeTiles, DerivedKind::Bins,
                                          DerivedKind::CooTiles, DerivedKind::TeamRows,
                                          DerivedKind::WindowParts};

/// Bins of rows of similar lengths (BINS in kernels/bins.cl).
inline constexpr Index all_bins = 7;

/// What the host has to know of `Bins`.
struct DerivedCounts {
  Index groups = 0;                       ///< work-groups of a launch for one vector
  Index pieces = 0;                       ///< work-groups that may share a row
  std::array<Index, all_bins> in_bins{};  ///< entries
};

/// Derived data in the memory of the array it was derived from, and charged to it.
struct Derived {
  Derived(Array<std::uint64_t> made, const DerivedCounts& counted)
      : array(std::move(made)), counts(counted) {}
  Array<std::uint64_t> array;
  DerivedCounts counts;
  std::mutex mutex;            ///< held until all launches of a call are enqueued
  std::uint32_t launches = 0;  ///< calls that used it so far, modulo 2^32; guarded by `mutex`
  /// Of `Bins`: what pieces publish of many columns. It grows to what was needed most so far;
  /// guarded by `mutex`.
  Array<std::uint64_t> parts = {};
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
  Derived& keep(const void* source, DerivedKind kind, Array<std::uint64_t> array,
                const DerivedCounts& counts = {});
  /// What is kept, or now is: the array that `make()` returns.
  template <class Make>
  Derived& find_or_keep(const void* source, DerivedKind kind, const Make& make) {
    Derived* const kept = find(source, kind);
    return kept ? *kept : keep(source, kind, make());
  }
  /// Drops everything beside `source`.
  void drop(const void* source) noexcept;

 private:
  std::mutex mutex_;
  std::map<std::pair<const void*, DerivedKind>, Derived> entries_;
};

}  // namespace switchyard::opencl
