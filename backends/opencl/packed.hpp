// Packed CSR on OpenCL devices, as the table names it.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::opencl {

// y = alpha A x + beta y: see `MultiplyOperation`. The executor is an OpenCL device. Each format
// has a program of its own, built from packed_multiply.cl.

/// One item for each row.
template <Element T>
void multiply_packed_scalar(const MultiplyArguments<T>& arguments);
/// Up to a work-group for each row, as for CSR.
template <Element T>
void multiply_packed_vector(const MultiplyArguments<T>& arguments);
/// From 32 items to a work-group for each row, which read several neighbouring elements at once.
/// Built from packed_wide.cl.
template <Element T>
void multiply_packed_wide(const MultiplyArguments<T>& arguments);
/// As `multiply_csr_merge`: for uneven rows. Built from csr_merge.cl.
template <Element T>
void multiply_packed_merge(const MultiplyArguments<T>& arguments);

// Conversions: see `ConvertOperation`. Built from packed_convert.cl.

template <Element T, Format format>
[[nodiscard]] Storage<T> convert_csr_to_packed(Executor& executor, const Storage<T>& matrix);
template <Element T>
[[nodiscard]] Storage<T> convert_packed_to_csr(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::opencl
