// The loops themselves. Compiled once for each instruction set, with SWITCHYARD_ISA naming it (see
// backends/CMakeLists.txt).
#include "conversion_loops.ipp"
#include "csr_rows.ipp"
#include "dense_rows.ipp"
#include "row_kernels.hpp"
#include "sliced_rows.ipp"

namespace switchyard::openmp::SWITCHYARD_ISA {

template <class T>
RowKernels<T> row_kernels() {
  return {
      &dense<T>,       &csr<T, std::int32_t>, &csr<T, std::int64_t>, &dense_sums<T>, &csr_sum<T>,
      &sliced_sums<T>, &count_nonzeros<T>,    &compress<T>,          &stream,        &fence};
}

template RowKernels<float> row_kernels();
template RowKernels<double> row_kernels();

}  // namespace switchyard::openmp::SWITCHYARD_ISA
