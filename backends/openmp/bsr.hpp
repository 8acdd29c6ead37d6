// The host's operations on BSR matrices.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::openmp {

// See `MultiplyArguments` and `ConvertOperation`.

template <Element T>
void multiply_bsr(const MultiplyArguments<T>& arguments);

/// To the BSR format `to`. Throws `Error(OutOfMemory)` before anything large is allocated if the
/// blocks are beyond the memory.
template <Element T, Format to>
[[nodiscard]] Storage<T> convert_csr_to_bsr(Executor& executor, const Storage<T>& matrix);
/// From any of the BSR formats.
template <Element T>
[[nodiscard]] Storage<T> convert_bsr_to_csr(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::openmp
