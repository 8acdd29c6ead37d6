// Bitmap matrices on OpenCL devices, for the table of all operations.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::opencl {

// y = alpha A x + beta y: see `MultiplyOperation`. They return once the work is asked for. Program
// "bitmap_multiply".

/// One item for each row: for processors.
template <Element T>
void multiply_bitmap_scalar(const MultiplyArguments<T>& arguments);
/// Teams of 32 items, each for a few rows or for parts of them.
template <Element T>
void multiply_bitmap_rows(const MultiplyArguments<T>& arguments);
/// The same with values that pass through local memory. Program "bitmap_staged".
template <Element T>
void multiply_bitmap_staged(const MultiplyArguments<T>& arguments);

[[nodiscard]] bool suits_bitmap_scalar(const ExecutorFacts& facts, const Structure& structure);
[[nodiscard]] bool suits_bitmap_rows(const ExecutorFacts& facts, const Structure& structure);
[[nodiscard]] bool suits_bitmap_staged(const ExecutorFacts& facts, const Structure& structure);

// Conversions: see `ConvertOperation`. Those from and to CSR keep every stored element. Programs
// "bitmap_csr" and "bitmap_dense".

template <Element T>
[[nodiscard]] Storage<T> convert_csr_to_bitmap(Executor& executor, const Storage<T>& matrix);
template <Element T>
[[nodiscard]] Storage<T> convert_bitmap_to_csr(Executor& executor, const Storage<T>& matrix);
/// Waits once, for the number of nonzeros.
template <Element T>
[[nodiscard]] Storage<T> convert_dense_to_bitmap(Executor& executor, const Storage<T>& matrix);
template <Element T>
[[nodiscard]] Storage<T> convert_bitmap_to_dense(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::opencl
