// The host's operations on matrices in coordinates.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::openmp {

// See `MultiplyArguments` and `ConvertOperation`.

template <Element T>
void multiply_coo(const MultiplyArguments<T>& arguments);

template <Element T>
[[nodiscard]] Storage<T> convert_csr_to_coo(Executor& executor, const Storage<T>& matrix);
template <Element T>
[[nodiscard]] Storage<T> convert_coo_to_csr(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::openmp
