// The operations on BSR matrices on OpenCL devices.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::opencl {

// See `MultiplyArguments` and `ConvertOperation`. The executor is an OpenCL device. Programs
// "bsr2_multiply", "bsr2_convert", and so on, for each size of blocks.

/// Several items for each block row, each of which sums one row of some blocks.
template <Element T>
void multiply_bsr(const MultiplyArguments<T>& arguments);

/// To the BSR format `to`. Waits once, for the number of blocks. Throws `Error(DeviceOutOfMemory)`
/// before anything large is allocated if the blocks are beyond the memory.
template <Element T, Format to>
[[nodiscard]] Storage<T> convert_csr_to_bsr(Executor& executor, const Storage<T>& matrix);
/// From any of the BSR formats.
template <Element T>
[[nodiscard]] Storage<T> convert_bsr_to_csr(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::opencl
