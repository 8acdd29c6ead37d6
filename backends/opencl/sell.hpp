// The operations on SELL matrices on OpenCL devices.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::opencl {

// See `MultiplyArguments` and `ConvertOperation`. The executor is an OpenCL device.

/// One item for each row of a slice. Program "sell_multiply".
template <Element T>
void multiply_sell(const MultiplyArguments<T>& arguments);

/// To the SELL format `to`. Waits once, for the number of slots. Throws `Error(DeviceOutOfMemory)`
/// before anything large is allocated where the padding is beyond the memory. Program
/// "sell_convert".
template <Element T, Format to>
[[nodiscard]] Storage<T> convert_csr_to_sell(Executor& executor, const Storage<T>& matrix);
/// From any of the SELL formats. Program "sell_convert".
template <Element T>
[[nodiscard]] Storage<T> convert_sell_to_csr(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::opencl
