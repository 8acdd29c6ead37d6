// The operations on HYB matrices on OpenCL devices.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::opencl {

// See `MultiplyArguments` and `ConvertOperation`. The executor is an OpenCL device.

/// A launch as for ELLPACK, and one as for COO where some elements have no slot. Program
/// "ell_multiply" and, when first needed, "coo_multiply".
template <Element T>
void multiply_hyb(const MultiplyArguments<T>& arguments);

/// Program "hyb_convert".
template <Element T>
[[nodiscard]] Storage<T> convert_hyb_to_csr(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::opencl
