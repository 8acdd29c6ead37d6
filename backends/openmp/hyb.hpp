// The host's operations on HYB matrices.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::openmp {

// See `MultiplyArguments` and `ConvertOperation`.

template <Element T>
void multiply_hyb(const MultiplyArguments<T>& arguments);

/// Throws `Error(OutOfMemory)` before anything is allocated where the padding is beyond the memory.
template <Element T>
[[nodiscard]] Storage<T> convert_csr_to_hyb(Executor& executor, const Storage<T>& matrix);
template <Element T>
[[nodiscard]] Storage<T> convert_hyb_to_csr(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::openmp
