// Folds and prefixes with the operations that the library knows, compiled once for each instruction
// set.
#pragma once

#include <cstdint>

// Nothing but fixed-width integers may be included here (see row_kernels.hpp).

namespace switchyard::openmp {

/// One operation. Results depend on the count, not on the instruction set.
template <class T>
struct FoldKernel {
  /// The fold of so many values, for operations that are commutative.
  double (*fold)(const T* values, std::int64_t count);
  /// The prefixes of so many values, which come after `before`. `out` may be `values`.
  void (*scan)(double before, const T* values, std::int64_t count, T* out);
  /// The same past the caches, for what will not be read soon. REQUIRES that `out` begins a cache
  /// line.
  void (*scan_past_caches)(double before, const T* values, std::int64_t count, T* out);
};

/// Those of `fold`: sums and products in double, extremes in T.
template <class T>
struct FoldKernels {
  FoldKernel<T> plus;
  FoldKernel<T> times;
  FoldKernel<T> min;
  FoldKernel<T> max;
};

/// The kernels compiled for each instruction set. REQUIRES, to call them: a processor that has it.
namespace portable {
template <class T>
FoldKernels<T> fold_kernels();
}
namespace avx2 {
template <class T>
FoldKernels<T> fold_kernels();
}
namespace avx512 {
template <class T>
FoldKernels<T> fold_kernels();
}

/// The kernels for the widest vectors that this processor has.
template <class T>
const FoldKernels<T>& best_fold_kernels();

}  // namespace switchyard::openmp
