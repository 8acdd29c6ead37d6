// Packed CSR on the host's threads, as the table names it.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::openmp {

/// y = alpha A x + beta y: see `MultiplyArguments`.
template <Element T>
void multiply_packed(const MultiplyArguments<T>& arguments);

// Conversions: see `ConvertOperation`.

/// Throws `Error(Unsupported)` where the values do not fit the format's coding.
template <Element T, Format format>
[[nodiscard]] Storage<T> convert_csr_to_packed(Executor& executor, const Storage<T>& matrix);
template <Element T>
[[nodiscard]] Storage<T> convert_packed_to_csr(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::openmp
