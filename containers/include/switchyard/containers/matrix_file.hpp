// Matrices from files of any kind that is read.
#pragma once

#include <string>
#include <switchyard/containers/matrix_market.hpp>

namespace switchyard {

/// Reads a matrix from a file, which is distinguished by content: Matrix Market as
/// `read_matrix_market` reads it, or `.npz` as `scipy.sparse.save_npz` writes it.
///
/// A `.npz` file may hold any of SciPy's formats csr, csc, coo, bsr and dia, compressed or not,
/// with elements that are real, integer or boolean and indices that are integers, all
/// little-endian and in C order. It gives CSR. Duplicates are added as `read_matrix_market` adds
/// them; explicit zeros are stored, but for those of dia, where they are padding. Lenient reading
/// makes numbers infinite that are too large for T.
///
/// Memory is bounded by the file's size: arrays that take more than 1 GiB and 64 times the file
/// together are refused, and so are rows that take more than 16 MiB and 8 times the arrays.
///
/// Throws `Error`: what `read_matrix_market` throws; for a `.npz` file, IoError if it cannot be
/// read; DataCorrupt if the archive or an array is damaged, cut short or contradicts another;
/// Unsupported for element types, orders and formats not named above; OutOfRange for sizes beyond
/// the bounds, more than 2^31-1 columns, and numbers too large for T.
template <Element T>
[[nodiscard]] Storage<T> read_matrix(const std::string& file, const ReadOptions& options = {});

}  // namespace switchyard
