// The innermost loops of packed CSR, compiled once for each instruction set.
#pragma once

#include <cstdint>

// Nothing but fixed-width integers may be included here (see row_kernels.hpp).

namespace switchyard::openmp {

/// Values in any coding: all of them, the one, or a dictionary and codes.
template <class T>
struct PackedValues {
  const T* values;
  const std::uint8_t* codes;
};

/// Neighbouring rows whose columns are kept alike and count from the same base.
template <class T, class Offset>
struct PackedRows {
  const Offset* offsets;
  const void* columns;  ///< of element 0, if it were among these; of 16 or 32 bits
  PackedValues<T> values;
  std::int64_t nnz;       ///< of the matrix
  std::int64_t readable;  ///< the end of the elements that are kept like these
  T alpha;
  const T* x;  ///< from the base on
  T beta;
  T* y;
};

/// The functions for one kind of columns and one coding of values. Sums run in the order of those
/// for plain CSR.
template <class T>
struct PackedKernel {
  void (*rows)(const PackedRows<T, std::int32_t>& work, std::int64_t begin, std::int64_t end);
  void (*rows_wide)(const PackedRows<T, std::int64_t>& work, std::int64_t begin, std::int64_t end);
  /// The sum of the elements begin to end, all of one row.
  T(*sum)
  (const PackedValues<T>& values, const void* columns, const T* x, std::int64_t begin,
   std::int64_t end);
};

/// Rows of blocked columns: see `Packed`.
template <class T, class Offset>
struct BlockedRows {
  using Element = T;
  const Offset* offsets;
  const Offset* first_heads;
  const std::uint32_t* heads;
  int words;  ///< of a head, 1 or 2
  const std::uint8_t* low;
  PackedValues<T> values;
  std::int64_t nnz;  ///< of the matrix
  T alpha;
  const T* x;
  T beta;
  T* y;
};

/// The same for blocked columns.
template <class T>
struct BlockedKernel {
  void (*rows)(const BlockedRows<T, std::int32_t>& work, std::int64_t begin, std::int64_t end);
  void (*rows_wide)(const BlockedRows<T, std::int64_t>& work, std::int64_t begin, std::int64_t end);
  /// The sum of the elements begin to end of a row.
  T(*sum)
  (const BlockedRows<T, std::int32_t>& work, std::int64_t row, std::int64_t begin,
   std::int64_t end);
  T(*sum_wide)
  (const BlockedRows<T, std::int64_t>& work, std::int64_t row, std::int64_t begin,
   std::int64_t end);
};

/// By `ValueCoding`, for columns of 16 and of 32 bits and blocked ones.
template <class T>
struct PackedKernels {
  PackedKernel<T> narrow[3];
  PackedKernel<T> wide[3];
  BlockedKernel<T> blocked[3];
};

/// The kernels compiled for each instruction set. REQUIRES, to call them: a processor that has it.
namespace portable {
template <class T>
PackedKernels<T> packed_kernels();
}
namespace avx2 {
template <class T>
PackedKernels<T> packed_kernels();
}
namespace avx512 {
template <class T>
PackedKernels<T> packed_kernels();
}

/// The kernels for the widest vectors that this processor has.
template <class T>
const PackedKernels<T>& best_packed_kernels();

/// Rows begin to end by a packed or a blocked kernel, the one for offsets as wide as `rows` has.
template <class Kernel, template <class, class> class Rows, class T, class Offset>
void run_rows(const Kernel& kernel, const Rows<T, Offset>& rows, std::int64_t begin,
              std::int64_t end) {
  if constexpr (sizeof(Offset) == 4) {
    kernel.rows(rows, begin, end);
  } else {
    kernel.rows_wide(rows, begin, end);
  }
}

}  // namespace switchyard::openmp
