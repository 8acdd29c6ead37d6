// Which of the compiled instruction sets this processor has.
#include <array>

#include "block_kernels.hpp"
#include "column_kernels.hpp"
#include "fold_kernels.hpp"
#include "packed_kernels.hpp"
#include "row_kernels.hpp"

namespace switchyard::openmp {
namespace {

/// Of three functions that make kernels, what that for the widest vectors makes.
template <class Make>
auto widest(Make for_avx512, Make for_avx2, Make for_any) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
    return for_avx512();
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return for_avx2();
#endif
  return for_any();
}

}  // namespace

template <class T>
const RowKernels<T>& best_row_kernels() {
  static const RowKernels<T> kernels =
      widest(&avx512::row_kernels<T>, &avx2::row_kernels<T>, &portable::row_kernels<T>);
  return kernels;
}

template <class T>
const PackedKernels<T>& best_packed_kernels() {
  static const PackedKernels<T> kernels =
      widest(&avx512::packed_kernels<T>, &avx2::packed_kernels<T>, &portable::packed_kernels<T>);
  return kernels;
}

template <class T>
const BlockKernels<T>& best_block_kernels() {
  static const BlockKernels<T> kernels =
      widest(&avx512::block_kernels<T>, &avx2::block_kernels<T>, &portable::block_kernels<T>);
  return kernels;
}

template <class T>
const ColumnKernels<T>& best_column_kernels() {
  static const ColumnKernels<T> kernels =
      widest(&avx512::column_kernels<T>, &avx2::column_kernels<T>, &portable::column_kernels<T>);
  return kernels;
}

template <class T>
const FoldKernels<T>& best_fold_kernels() {
  static const FoldKernels<T> kernels =
      widest(&avx512::fold_kernels<T>, &avx2::fold_kernels<T>, &portable::fold_kernels<T>);
  return kernels;
}

template const RowKernels<float>& best_row_kernels();
template const RowKernels<double>& best_row_kernels();
template const PackedKernels<float>& best_packed_kernels();
template const PackedKernels<double>& best_packed_kernels();
template const BlockKernels<float>& best_block_kernels();
template const BlockKernels<double>& best_block_kernels();
template const ColumnKernels<float>& best_column_kernels();
template const ColumnKernels<double>& best_column_kernels();
template const FoldKernels<float>& best_fold_kernels();
template const FoldKernels<double>& best_fold_kernels();

}  // namespace switchyard::openmp
