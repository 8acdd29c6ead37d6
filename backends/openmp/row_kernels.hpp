// The innermost loops of the host, compiled once for each instruction set.
#pragma once

#include <cstdint>

// Nothing but fixed-width integers (and intrinsics, which are never functions of their own) may be
// included here: an inline function of a library, compiled for AVX-512 in one of these files, could
// be the copy that the linker keeps for everybody.

namespace switchyard::openmp {

/// A dense matrix's rows, the vectors and the scalars of y = alpha A x + beta y.
template <class T>
struct DenseRows {
  const T* values;
  std::int64_t rows;
  std::int64_t cols;
  T alpha;
  const T* x;
  T beta;
  T* y;
};

template <class T, class Offset>
struct CsrRows {
  using Element = T;
  const Offset* offsets;
  const std::int32_t* columns;
  const T* values;
  std::int64_t nnz;
  T alpha;
  const T* x;
  T beta;
  T* y;
};

/// Rows that lie side by side: slot k of row i is at [k * stride + i]. Slots up to the longest row
/// of any eight neighbours hold a column of x, padding included.
template <class T>
struct SlicedRows {
  const T* values;
  const std::int32_t* columns;
  std::int64_t stride;
  const std::int32_t* lengths;
  const T* x;
};

/// A matrix by diagonals, as `Dia` has it.
template <class T>
struct Diagonals {
  const T* values;
  const std::uint64_t* masks;
  const std::int64_t* diagonals;
  std::int64_t count;  ///< of diagonals
  std::int64_t rows;
  std::int64_t cols;
  const T* x;
};

/// One bitmap row, or two of the same columns, times a vector. The columns are those of whole
/// words, and those of x's rest.
template <class T>
struct BitmapRows {
  const std::uint64_t* masks[2];
  const T* values[2];  ///< of the first set bit of each
  const T* x;
  std::int64_t cols;    ///< of x and of the masks; bits beyond are 0
  bool values_follow;   ///< `values_ahead` values may be read from the last of both rows on
  double stored_share;  ///< of the matrix's places
  // What will be needed lies so much further on.
  std::int64_t value_bytes_ahead;
  std::int64_t mask_bytes_ahead;
};
inline constexpr std::int64_t values_ahead = 16;

/// Functions on rows [begin, end), and sums over a stretch of a row. beta == 0 never reads y. Sums
/// run in an order that depends on nothing but the length.
template <class T>
struct RowKernels {
  void (*dense)(const DenseRows<T>& work, std::int64_t begin, std::int64_t end);
  void (*csr)(const CsrRows<T, std::int32_t>& work, std::int64_t begin, std::int64_t end);
  void (*csr_wide)(const CsrRows<T, std::int64_t>& work, std::int64_t begin, std::int64_t end);
  void (*dense_sums)(const T* a, std::int64_t rows, std::int64_t cols, const T* x,
                     std::int64_t count, T* sums);
  T (*csr_sum)(const T* values, const std::int32_t* columns, const T* x, std::int64_t count);
  /// The sums of the first `rows` rows.
  void (*sliced_sums)(const SlicedRows<T>& work, std::int64_t rows, T* sums);

  /// The sums of rows [first, first + rows), where `first` is a multiple of 64.
  void (*diagonal_sums)(const Diagonals<T>& work, std::int64_t first, std::int64_t rows, T* sums);
  /// The sums of one row or two.
  void (*bitmap_sums)(const BitmapRows<T>& work, std::int64_t rows, T* sums);

  /// How many of `count` elements are not zero.
  std::int64_t (*count_nonzeros)(const T* elements, std::int64_t count);
  /// Packs the nonzeros among `count` elements, the first of them in column `first`, and returns
  /// how many there are. May write `compress_slack` elements beyond them.
  std::int64_t (*compress)(const T* elements, std::int64_t count, std::int32_t first, T* values,
                           std::int32_t* columns);
  /// How many bits of so many words are set.
  std::int64_t (*count_bits)(const std::uint64_t* masks, std::int64_t words);
  /// A bit for each of `count` elements that is not zero, and 0 for the rest of the last word.
  /// Returns how many are set.
  std::int64_t (*nonzero_masks)(const T* elements, std::int64_t count, std::uint64_t* masks);
  /// The columns of set bits, where the first bit stands for column `first`. Returns how many there
  /// are. May write `compress_slack` elements beyond them.
  std::int64_t (*mask_columns)(const std::uint64_t* masks, std::int64_t words, std::int32_t first,
                               std::int32_t* columns);
  /// Spreads values over the places of set bits, with zeros between them: 64 elements for each
  /// word. Returns how many values that took.
  std::int64_t (*expand)(const std::uint64_t* masks, std::int64_t words, const T* values,
                         T* elements);
  /// Copies past the caches, for what will not be read soon. A fence must follow.
  void (*stream)(void* to, const void* from, std::int64_t bytes);
  /// After stream(), before another thread reads.
  void (*fence)();
};
inline constexpr std::int64_t compress_slack = 16;

/// The kernels compiled for each instruction set. REQUIRES, to call them: a processor that has it.
namespace portable {
template <class T>
RowKernels<T> row_kernels();
}
namespace avx2 {
template <class T>
RowKernels<T> row_kernels();
}
namespace avx512 {
template <class T>
RowKernels<T> row_kernels();
}

/// The kernels for the widest vectors that this processor has.
template <class T>
const RowKernels<T>& best_row_kernels();

}  // namespace switchyard::openmp
