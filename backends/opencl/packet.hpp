// The operations on matrices in packets on OpenCL devices.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::opencl {

// See `MultiplyArguments` and `ConvertOperation`. The executor is an OpenCL device.

/// A work-group for each packet, which copies the packet's piece of x to local memory. Program
/// "packet_multiply".
template <Element T>
void multiply_packets(const MultiplyArguments<T>& arguments);

/// Program "packet_convert".
template <Element T>
[[nodiscard]] Storage<T> convert_packets_to_csr(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::opencl
