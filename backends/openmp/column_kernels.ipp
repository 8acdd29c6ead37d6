// The loops for many columns. Compiled once for each instruction set, with SWITCHYARD_ISA naming it
// (see backends/CMakeLists.txt).
#include "column_kernels.hpp"
#include "column_rows.ipp"
#include "dense_columns.ipp"
#include "scattered_rows.ipp"

namespace switchyard::openmp::SWITCHYARD_ISA {

template <class T>
ColumnKernels<T> column_kernels() {
  return {.rows = &column_rows<T, std::int32_t>,
          .rows_wide = &column_rows<T, std::int64_t>,
          .scatter = &scattered_rows<T, std::int32_t>,
          .scatter_wide = &scattered_rows<T, std::int64_t>,
          .dense = &dense_columns<T>,
          .dense_transposed = &dense_transposed<T>};
}

template ColumnKernels<float> column_kernels();
template ColumnKernels<double> column_kernels();

}  // namespace switchyard::openmp::SWITCHYARD_ISA
