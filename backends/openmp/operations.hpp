// The host's operations, as the table names them.
#pragma once

#include <switchyard/backends/executor.hpp>
#include <switchyard/containers/formats.hpp>

namespace switchyard::openmp {

template <Element T>
void multiply_dense(Executor& executor, const Storage<T>& matrix, T alpha, const Array<T>& x,
                    T beta, Array<T>& y);
template <Element T>
void multiply_csr(Executor& executor, const Storage<T>& matrix, T alpha, const Array<T>& x, T beta,
                  Array<T>& y);

template <Element T>
[[nodiscard]] Storage<T> convert_dense_to_csr(Executor& executor, const Storage<T>& matrix);
template <Element T>
[[nodiscard]] Storage<T> convert_csr_to_dense(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::openmp
