// Bitmap matrices on the host, for the table of all operations.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::openmp {

/// y = alpha A x + beta y, with shares of about as many bytes for each thread.
template <Element T>
void multiply_bitmap(const MultiplyArguments<T>& arguments);

// Conversions: see `ConvertOperation`. Those from and to CSR keep every stored element.

template <Element T>
[[nodiscard]] Storage<T> convert_csr_to_bitmap(Executor& executor, const Storage<T>& matrix);
template <Element T>
[[nodiscard]] Storage<T> convert_bitmap_to_csr(Executor& executor, const Storage<T>& matrix);
/// Reads the dense matrix once.
template <Element T>
[[nodiscard]] Storage<T> convert_dense_to_bitmap(Executor& executor, const Storage<T>& matrix);
template <Element T>
[[nodiscard]] Storage<T> convert_bitmap_to_dense(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::openmp
