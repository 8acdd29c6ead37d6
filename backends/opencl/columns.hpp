// Multiplications of many columns on OpenCL devices, for the table of all operations.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::opencl {

// Y = alpha A X + beta Y: see `MultiplyArguments`. Any number of columns, one included.

/// CSR, or the transpose of a matrix in CSC: items beside each other have the columns of X, and so
/// many share a row as the mean row is worth. Programs: "csr_columns", and that of
/// `multiply_by_wide_rows`.
template <Element T>
void multiply_csr_columns(const MultiplyArguments<T>& arguments);

/// CSR with short rows: each work-group copies the nonzeros of its rows to local memory first.
/// Programs: "csr_staged", and that of `multiply_by_wide_rows`.
template <Element T>
void multiply_csr_staged(const MultiplyArguments<T>& arguments);

/// CSR or CSC with rows in the order of their lengths, for uneven rows. Programs:
/// "csr_columns_binned", and that of `multiply_by_wide_rows`.
template <Element T>
void multiply_csr_columns_binned(const MultiplyArguments<T>& arguments);

/// A dense matrix, read once for each panel of up to 64 columns. Programs "dense_columns" and, for
/// more than a few columns, "dense_tiles".
template <Element T>
void multiply_dense_columns(const MultiplyArguments<T>& arguments);
/// The transpose of a dense matrix, also times one vector. Each stretch of rows has sums of its
/// own, which are added in a fixed order. Program "dense_columns".
template <Element T>
void multiply_dense_transposed(const MultiplyArguments<T>& arguments);

/// Any format, by its kernel for one vector: each column of X is copied to a vector of its own, and
/// the result back. For formats without a better kernel. Programs: that of the kernel and
/// "vector_operations".
template <Element T>
void multiply_each_column(const MultiplyArguments<T>& arguments,
                          void (*kernel)(const MultiplyArguments<T>& arguments));
/// The same as a row of the table needs it.
template <Element T, void (*kernel)(const MultiplyArguments<T>&)>
void multiply_each_column(const MultiplyArguments<T>& arguments) {
  multiply_each_column(arguments, kernel);
}

/// A kernel that takes X with rows of `width` elements, of which `arguments.columns` are columns.
template <Element T>
using ColumnsKernel = void (*)(const MultiplyArguments<T>& arguments, Index width);

/// By `kernel`, from a copy of X whose rows are whole portions of 16 bytes. Where rows are not,
/// each element of X is a load of its own, or each two (16384 rows of 819, float, an H200: with
/// three and seven columns 42 and 58 us, and without a copy, as prototypes, 77 and 108). Programs:
/// that of the kernel and "vector_operations".
template <Element T>
void multiply_widened(const MultiplyArguments<T>& arguments, ColumnsKernel<T> kernel);
/// Whether the columns are so few, and odd in number, that an item of `multiply_rows` has one of
/// them, on a device with such kernels.
template <Element T>
[[nodiscard]] bool takes_single(const MultiplyArguments<T>& arguments);
/// Whether such a copy repays; `has_single`: for a kernel that without it would take `takes_single`
/// into account.
template <Element T>
[[nodiscard]] bool worth_widening(const MultiplyArguments<T>& arguments, bool has_single);
/// CSR or CSC by `kernel`, from such a copy where that repays and the device has room for it, with
/// the same order of all sums; but a compiler may round their terms in one kernel and not in
/// another. Throws `Error(Unsupported)` where a row of X has 2 GiB or more.
template <Element T>
void multiply_by_wide_rows(const MultiplyArguments<T>& arguments, ColumnsKernel<T> kernel,
                           bool has_single = false);
/// The kernels of `multiply_csr_columns` and `multiply_csr_columns_binned`.
template <Element T>
void multiply_rows(const MultiplyArguments<T>& arguments, Index width);
template <Element T>
void multiply_binned_rows(const MultiplyArguments<T>& arguments, Index width);

/// Of formats with kernels for many columns: on processors. A GPU would read the matrix as often as
/// there are columns (dense, 16384 rows, an H200: 16.3 ms for 64, where "panels" take 0.93).
[[nodiscard]] bool suits_each_column(const ExecutorFacts& facts, const Structure& structure);
/// Where the order of the rows is worth keeping.
template <Element T>
[[nodiscard]] bool suits_csr_columns_binned(const ExecutorFacts& facts, const Structure& structure);
/// The same of a matrix in CSC, of whose columns little is known: on any GPU.
[[nodiscard]] bool suits_csc_columns_binned(const ExecutorFacts& facts, const Structure& structure);
/// Where no row keeps a work-group busy long after all others are done, but not where rows are
/// staged.
template <Element T>
[[nodiscard]] bool suits_csr_columns(const ExecutorFacts& facts, const Structure& structure);
/// On NVIDIA's devices, where rows are many and short, and none keeps a warp busy long after all
/// others are done.
template <Element T>
[[nodiscard]] bool suits_csr_staged(const ExecutorFacts& facts, const Structure& structure);

}  // namespace switchyard::opencl
