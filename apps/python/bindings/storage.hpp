// Matrices over NumPy's arrays, and NumPy's arrays of matrices.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <switchyard/containers/formats.hpp>
#include <vector>

#include "buffer.hpp"

namespace switchyard::python {

/// A matrix, and what keeps the memory alive that it borrows.
template <Element T>
struct Borrowed {
  Storage<T> storage;
  std::vector<Buffer> owners;
};

/// The arrays of a compressed matrix as SciPy has them.
struct CompressedArrays {
  Index rows = 0;
  Index cols = 0;
  nb::handle data;
  nb::handle indices;  ///< int32
  nb::handle indptr;   ///< int32 or int64
  bool by_columns = false;
};

/// A matrix on these arrays, none of which is copied but offsets of 64 bits that fit into 32.
/// REQUIRES: `check_compressed` returned true for them.
template <Element T>
[[nodiscard]] Borrowed<T> borrowed_compressed(const CompressedArrays& arrays);

/// A copy with ascending columns in each row, the elements at one place added.
template <Element T>
[[nodiscard]] Borrowed<T> summed_compressed(const CompressedArrays& arrays);

/// A matrix on a two-dimensional array, which is not copied.
template <Element T>
[[nodiscard]] Borrowed<T> borrowed_dense(nb::handle array);

/// A new array of that many rows, and columns unless it is a vector, in memory that the library
/// keeps when it is dropped. Its elements are not set. Throws what `Array` throws.
template <Element T>
[[nodiscard]] nb::object kept_array(Index rows, std::optional<Index> columns);

/// (data, indices, indptr) of that matrix, which is left empty. REQUIRES: Csr.
template <Element T>
[[nodiscard]] nb::tuple arrays_of(Storage<T> storage);
/// The elements of that matrix in two dimensions. REQUIRES: Dense.
template <Element T>
[[nodiscard]] nb::object array_of(Storage<T> storage);

}  // namespace switchyard::python
