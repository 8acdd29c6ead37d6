// Conversion of Eigen's matrices. Include it where Eigen is used: the library does not include it.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <switchyard/containers/csr.hpp>
#include <switchyard/containers/dense.hpp>

namespace switchyard {

/// A row-major copy of any dense Eigen expression of float or double.
template <class Derived>
[[nodiscard]] Dense<typename Derived::Scalar> dense_from_eigen(
    const Eigen::MatrixBase<Derived>& matrix) {
  using T = typename Derived::Scalar;
  auto dense = Dense<T>::sized(matrix.rows(), matrix.cols());
  using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<RowMajor>(dense.values.data(), matrix.rows(), matrix.cols()) = matrix;
  return dense;
}

/// A CSR copy of a sparse Eigen matrix in either storage order. Throws what `csr_from_arrays`
/// throws.
template <Element T, int Options, class StorageIndex>
[[nodiscard]] Csr<T> csr_from_eigen(
    const Eigen::SparseMatrix<T, Options, StorageIndex>& matrix) try {
  Eigen::SparseMatrix<T, Eigen::RowMajor, StorageIndex> rows = matrix;
  rows.makeCompressed();
  const auto nnz = rows.nonZeros();
  std::vector<Index> offsets(rows.outerIndexPtr(), rows.outerIndexPtr() + rows.outerSize() + 1);
  std::vector<Column> columns;
  columns.reserve(static_cast<std::size_t>(nnz));
  for (Eigen::Index k = 0; k < nnz; ++k) columns.push_back(narrow<Column>(rows.innerIndexPtr()[k]));
  std::vector<T> values(rows.valuePtr(), rows.valuePtr() + nnz);
  return csr_from_arrays<T>(rows.rows(), rows.cols(), offsets, std::move(columns),
                            std::move(values));
} catch (const std::bad_alloc&) {
  throw_out_of_memory();
}

}  // namespace switchyard
