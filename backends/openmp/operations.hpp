// The host's operations, as the table names them.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::openmp {

template <Element T>
void multiply_dense(const MultiplyArguments<T>& arguments);
template <Element T>
void multiply_csr(const MultiplyArguments<T>& arguments);

template <Element T>
[[nodiscard]] Storage<T> convert_dense_to_csr(Executor& executor, const Storage<T>& matrix);
template <Element T>
[[nodiscard]] Storage<T> convert_csr_to_dense(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::openmp
