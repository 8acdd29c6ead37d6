// The host's operations on SELL matrices.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::openmp {

// See `MultiplyArguments` and `ConvertOperation`.

template <Element T>
void multiply_sell(const MultiplyArguments<T>& arguments);

/// To the SELL format `to`. Throws `Error(OutOfMemory)` before anything large is allocated where
/// the padding is beyond the memory.
template <Element T, Format to>
[[nodiscard]] Storage<T> convert_csr_to_sell(Executor& executor, const Storage<T>& matrix);
/// From any of the SELL formats.
template <Element T>
[[nodiscard]] Storage<T> convert_sell_to_csr(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::openmp
