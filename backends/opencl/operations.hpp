// The operations on OpenCL devices, for the table of all operations.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::opencl {

// y = alpha A x + beta y: see `MultiplyOperation`. The executor is an OpenCL device. They return
// once the work is asked for.

/// One item for each row. Program "dense_multiply".
template <Element T>
void multiply_dense_scalar(const MultiplyArguments<T>& arguments);
/// Up to a work-group for each row, or several where rows are too few to fill the device, or many
/// rows for each where they are short. Program "dense_multiply".
template <Element T>
void multiply_dense_group(const MultiplyArguments<T>& arguments);
/// One item for each row. Program "csr_multiply".
template <Element T>
void multiply_csr_scalar(const MultiplyArguments<T>& arguments);
/// As many items for each row as the mean row is worth. Program "csr_multiply".
template <Element T>
void multiply_csr_vector(const MultiplyArguments<T>& arguments);
/// Many rows for each work-group, read as one stream: for short ones. Program "csr_stream".
template <Element T>
void multiply_csr_stream(const MultiplyArguments<T>& arguments);
/// Equal shares of rows and nonzeros for each work-group: for uneven rows. The first call on a
/// matrix also finds where the shares begin, and keeps that beside it. Program "csr_merge".
template <Element T>
void multiply_csr_merge(const MultiplyArguments<T>& arguments);
/// Rows in the order of their lengths, each by as many items as that is worth: for uneven rows of
/// few nonzeros. The first call on a matrix also finds that order, for which it waits once, and
/// keeps it beside the matrix: 16 bytes a row. Program "csr_binned".
template <Element T>
void multiply_csr_binned(const MultiplyArguments<T>& arguments);
/// The product with the other operand (that of a matrix in CSR with A^T, of one in CSC with A),
/// equal shares of nonzeros for each work-group. Sums are in fixed point, and exact as long as the
/// products of a matrix lie within 30 binary orders of magnitude in single precision and 76 in
/// double, or in any case if the device has memory enough (docs/decisions/0024). Else the error of
/// each product is below 2^-64 of the largest one in its column, or 2^-128. The first call on a
/// matrix finds the rows of the shares, and keeps them beside it. Program "csr_scatter".
template <Element T>
void multiply_csr_scatter(const MultiplyArguments<T>& arguments);
/// The same, with windows of columns for each work-group: for rows with many elements in each. The
/// first call on a matrix finds the parts of rows in windows, and keeps them beside it. Programs
/// "csr_windows" and "csr_scatter".
template <Element T>
void multiply_csr_windows(const MultiplyArguments<T>& arguments);

// What the variants are for: see `MultiplyOperation::suits`.

[[nodiscard]] bool suits_dense_scalar(const ExecutorFacts& facts, const Structure& structure);
[[nodiscard]] bool suits_csr_scalar(const ExecutorFacts& facts, const Structure& structure);
[[nodiscard]] bool suits_csr_vector(const ExecutorFacts& facts, const Structure& structure);
[[nodiscard]] bool suits_packed_wide(const ExecutorFacts& facts, const Structure& structure);
[[nodiscard]] bool suits_packed_vector(const ExecutorFacts& facts, const Structure& structure);
[[nodiscard]] bool suits_packed_merge(const ExecutorFacts& facts, const Structure& structure);
[[nodiscard]] bool suits_csr_stream(const ExecutorFacts& facts, const Structure& structure);
[[nodiscard]] bool suits_csr_merge(const ExecutorFacts& facts, const Structure& structure);
[[nodiscard]] bool suits_csr_binned(const ExecutorFacts& facts, const Structure& structure);
/// Of a matrix in CSR or CSC.
template <Format format>
[[nodiscard]] bool suits_scatter(const ExecutorFacts& facts, const Structure& structure);
template <Format format>
[[nodiscard]] bool suits_windows(const ExecutorFacts& facts, const Structure& structure);

// Conversions: see `ConvertOperation`.

/// Waits once, for the number of nonzeros. Program "dense_to_csr".
template <Element T>
[[nodiscard]] Storage<T> convert_dense_to_csr(Executor& executor, const Storage<T>& matrix);
/// Program "csr_to_dense".
template <Element T>
[[nodiscard]] Storage<T> convert_csr_to_dense(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::opencl
