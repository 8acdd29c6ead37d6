// Multiplications of many columns on the host, for the table of all operations.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::openmp {

// Y = alpha A X + beta Y: see `MultiplyArguments`. Any number of columns, one included.

/// CSR, or the transpose of a matrix in CSC. Long rows are cut among the threads.
template <Element T>
void multiply_csr_columns(const MultiplyArguments<T>& arguments);
/// Any sparse format: some rows at a time are decoded into the first cache, and multiplied from
/// there as CSR is.
template <Element T>
void multiply_decoded_columns(const MultiplyArguments<T>& arguments);
/// A dense matrix, which is read once for each panel of up to four registers of columns.
template <Element T>
void multiply_dense_columns(const MultiplyArguments<T>& arguments);
/// The transpose of a dense matrix, also times one vector.
template <Element T>
void multiply_dense_transposed(const MultiplyArguments<T>& arguments);
/// The transpose of CSR without a conversion: each thread adds to a copy of Y of its own.
template <Element T>
void scatter_csr(const MultiplyArguments<T>& arguments);
/// Where there are several threads, and their copies of Y have fewer rows than A has nonzeros.
[[nodiscard]] bool suits_scatter(const ExecutorFacts& facts, const Structure& structure);

}  // namespace switchyard::openmp
