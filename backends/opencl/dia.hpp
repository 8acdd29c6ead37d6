// The operations on matrices by diagonals on OpenCL devices.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::opencl {

// See `MultiplyArguments` and `ConvertOperation`. The executor is an OpenCL device.

/// One item for each row. Program "dia_multiply".
template <Element T>
void multiply_dia(const MultiplyArguments<T>& arguments);

/// Program "dia_convert".
template <Element T>
[[nodiscard]] Storage<T> convert_dia_to_csr(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::opencl
