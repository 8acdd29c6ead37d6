// The operations on matrices in coordinates on OpenCL devices.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::opencl {

// See `MultiplyArguments` and `ConvertOperation`. The executor is an OpenCL device.

/// A work-group for each as many elements as a tile has. Program "coo_multiply".
template <Element T>
void multiply_coo(const MultiplyArguments<T>& arguments);

/// Program "coo_convert".
template <Element T>
[[nodiscard]] Storage<T> convert_csr_to_coo(Executor& executor, const Storage<T>& matrix);
/// Program "coo_convert".
template <Element T>
[[nodiscard]] Storage<T> convert_coo_to_csr(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::opencl
