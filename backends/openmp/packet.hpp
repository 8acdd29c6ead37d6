// The host's operations on matrices in packets.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::openmp {

// See `MultiplyArguments` and `ConvertOperation`.

/// Copies each packet's piece of x, and multiplies its rows with that.
template <Element T>
void multiply_packets(const MultiplyArguments<T>& arguments);

template <Element T>
[[nodiscard]] Storage<T> convert_csr_to_packets(Executor& executor, const Storage<T>& matrix);
template <Element T>
[[nodiscard]] Storage<T> convert_packets_to_csr(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::openmp
