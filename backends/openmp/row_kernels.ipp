// The loops themselves. Compiled once for each instruction set, with SWITCHYARD_ISA naming it (see
// backends/CMakeLists.txt).
#include "bitmap_loops.ipp"
#include "bitmap_rows.ipp"
#include "conversion_loops.ipp"
#include "csr_rows.ipp"
#include "dense_rows.ipp"
#include "dia_rows.ipp"
#include "row_kernels.hpp"
#include "sliced_rows.ipp"

namespace switchyard::openmp::SWITCHYARD_ISA {

template <class T>
RowKernels<T> row_kernels() {
  return {.dense = &dense<T>,
          .csr = &csr<T, std::int32_t>,
          .csr_wide = &csr<T, std::int64_t>,
          .dense_sums = &dense_sums<T>,
          .csr_sum = &csr_sum<T>,
          .sliced_sums = &sliced_sums<T>,
          .diagonal_sums = &diagonal_sums<T>,
          .bitmap_sums = bitmap_kernel<T>(),
          .count_nonzeros = &count_nonzeros<T>,
          .compress = &compress<T>,
          .count_bits = &count_bits,
          .nonzero_masks = &nonzero_masks<T>,
          .mask_columns = &mask_columns,
          .expand = &expand<T>,
          .stream = &stream,
          .fence = &fence};
}

template RowKernels<float> row_kernels();
template RowKernels<double> row_kernels();

}  // namespace switchyard::openmp::SWITCHYARD_ISA
