// The host's conversions from and to CSC. Its multiplications are those of CSR.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::openmp {

// See `ConvertOperation`.

template <Element T>
[[nodiscard]] Storage<T> convert_csr_to_csc(Executor& executor, const Storage<T>& matrix);
template <Element T>
[[nodiscard]] Storage<T> convert_csc_to_csr(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::openmp
