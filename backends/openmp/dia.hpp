// The host's operations on matrices by diagonals.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::openmp {

// See `MultiplyArguments` and `ConvertOperation`.

template <Element T>
void multiply_dia(const MultiplyArguments<T>& arguments);

/// Throws `Error(OutOfMemory)` before the matrix is allocated where its places are beyond the
/// memory.
template <Element T>
[[nodiscard]] Storage<T> convert_csr_to_dia(Executor& executor, const Storage<T>& matrix);
template <Element T>
[[nodiscard]] Storage<T> convert_dia_to_csr(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::openmp
