// Which of the compiled instruction sets this processor has.
#include <array>

#include "row_kernels.hpp"

namespace switchyard::openmp {
namespace {

template <class T>
RowKernels<T> widest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
    return avx512::row_kernels<T>();
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return avx2::row_kernels<T>();
  }
#endif
  return portable::row_kernels<T>();
}

}  // namespace

template <class T>
const RowKernels<T>& best_row_kernels() {
  static const RowKernels<T> kernels = widest<T>();
  return kernels;
}

template const RowKernels<float>& best_row_kernels();
template const RowKernels<double>& best_row_kernels();

}  // namespace switchyard::openmp
