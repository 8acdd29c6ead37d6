// The innermost loops of BSR, compiled once for each instruction set.
#pragma once

#include <cstdint>

// Nothing but fixed-width integers may be included here (see row_kernels.hpp).

namespace switchyard::openmp {

/// Block rows of b x b blocks, as in `Bsr`, the vectors and the scalars of y = alpha A x + beta y.
template <class T, class Offset>
struct BlockRows {
  const Offset* offsets;
  const std::int32_t* columns;
  const std::uint16_t* masks;
  const T* values;
  std::int64_t rows;         ///< of the matrix, not of blocks
  std::int32_t last_column;  ///< the last block column: its elements of x are in `tail`
  const T* tail;             ///< four elements, as many of them of x as there are
  T alpha;
  const T* x;
  T beta;
  T* y;
};

/// The functions for one size of blocks, on block rows [begin, end). Sums run in an order that
/// depends on nothing but the number of blocks.
template <class T>
struct BlockKernel {
  void (*rows)(const BlockRows<T, std::int32_t>& work, std::int64_t begin, std::int64_t end);
  void (*rows_wide)(const BlockRows<T, std::int64_t>& work, std::int64_t begin, std::int64_t end);
};

/// By size of blocks, from 2 on.
template <class T>
struct BlockKernels {
  BlockKernel<T> of_size[3];
};

/// The kernels compiled for each instruction set. REQUIRES, to call them: a processor that has it.
namespace portable {
template <class T>
BlockKernels<T> block_kernels();
}
namespace avx2 {
template <class T>
BlockKernels<T> block_kernels();
}
namespace avx512 {
template <class T>
BlockKernels<T> block_kernels();
}

/// The kernels for the widest vectors that this processor has.
template <class T>
const BlockKernels<T>& best_block_kernels();

}  // namespace switchyard::openmp
