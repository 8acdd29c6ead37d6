// The innermost loops of the host for many columns, compiled once for each instruction set.
#pragma once

#include <cstdint>

// Nothing but fixed-width integers may be included here (see row_kernels.hpp).

namespace switchyard::openmp {

/// Compressed rows times a row-major X of several columns, and where the results go.
template <class T, class Offset>
struct ColumnRows {
  const Offset* offsets;
  const std::int32_t* columns;  ///< by the number of a nonzero, as `values`
  const T* values;
  const std::int64_t* numbers;  ///< of the rows of Y; null: those of the offsets
  std::int64_t count;           ///< columns of X and Y to compute
  std::int64_t x_stride;        ///< elements from one row of X to the next
  std::int64_t y_stride;
  bool x_is_far;  ///< the rows of X are asked for ahead (far_rows.hpp)
  T alpha;
  const T* x;
  T beta;
  T* y;
};

/// Compressed rows that are multiplied as columns: the transpose's.
template <class T, class Offset>
struct ScatteredRows {
  const Offset* offsets;
  const std::int32_t* columns;
  const T* values;
  std::int64_t count;  ///< columns of X, row-major, and of the sums
  const T* x;
  T* sums;
};

/// A part of a dense matrix, rows and columns, and what it is multiplied with.
template <class T>
struct DensePart {
  const T* values;  ///< of the whole matrix
  std::int64_t cols;
  std::int64_t row_begin;  ///< the part
  std::int64_t row_end;
  std::int64_t col_begin;
  std::int64_t col_end;
  std::int64_t count;  ///< columns of X, row-major, and of the sums
  const T* x;          ///< of the whole matrix
  T* sums;             ///< the same
};

/// Functions on rows [begin, end). beta == 0 never reads y. The order of each sum depends on
/// nothing but the row's length.
template <class T>
struct ColumnKernels {
  void (*rows)(const ColumnRows<T, std::int32_t>& work, std::int64_t begin, std::int64_t end);
  void (*rows_wide)(const ColumnRows<T, std::int64_t>& work, std::int64_t begin, std::int64_t end);
  /// Adds nonzeros, each times its row of X, to the sums of its column.
  void (*scatter)(const ScatteredRows<T, std::int32_t>& work, std::int64_t begin, std::int64_t end);
  void (*scatter_wide)(const ScatteredRows<T, std::int64_t>& work, std::int64_t begin,
                       std::int64_t end);
  /// The sums of the part's rows, over its columns.
  void (*dense)(const DensePart<T>& part);
  /// Adds to the sums of the part's columns, over its rows. A count of 1 is a case of its own.
  void (*dense_transposed)(const DensePart<T>& part);
};

/// The kernels compiled for each instruction set. REQUIRES, to call them: a processor that has it.
namespace portable {
template <class T>
ColumnKernels<T> column_kernels();
}
namespace avx2 {
template <class T>
ColumnKernels<T> column_kernels();
}
namespace avx512 {
template <class T>
ColumnKernels<T> column_kernels();
}

/// The kernels for the widest vectors that this processor has.
template <class T>
const ColumnKernels<T>& best_column_kernels();

/// Rows begin to end by the function for offsets as wide as `work` has.
template <class T, class Offset>
void run_rows(const ColumnKernels<T>& kernels, const ColumnRows<T, Offset>& work,
              std::int64_t begin, std::int64_t end) {
  if constexpr (sizeof(Offset) == 4) {
    kernels.rows(work, begin, end);
  } else {
    kernels.rows_wide(work, begin, end);
  }
}

}  // namespace switchyard::openmp
