// Eigen's products behind plain pointers, so that code for newer processors stays in one file.
#pragma once

#include <cstdint>

namespace switchyard::command::bench {

/// X and Y, row-major, of Y = A X or, if `transposed`, Y = A^T X.
template <class T>
struct EigenColumns {
  const T* x = nullptr;
  T* y = nullptr;
  std::int64_t columns = 1;
  bool transposed = false;
};

/// A row-major matrix, and what it is multiplied with.
template <class T>
struct EigenDense {
  const T* values;
  std::int64_t rows;
  std::int64_t cols;
  EigenColumns<T> vectors = {};
};

template <class T>
struct EigenCsr {
  std::int32_t rows;
  std::int32_t cols;
  std::int32_t nnz;
  const std::int32_t* offsets;
  const std::int32_t* columns;
  const T* values;
  EigenColumns<T> vectors = {};
};

// Compiled for AVX2 and FMA where the processor is an x86-64: ask `eigen_can_run` first.
void eigen_multiply(const EigenDense<float>& problem);
void eigen_multiply(const EigenDense<double>& problem);
void eigen_multiply(const EigenCsr<float>& problem);
void eigen_multiply(const EigenCsr<double>& problem);

/// A sparse matrix of Eigen's own, made from a dense one; it is the caller's.
struct EigenSparse;
template <class T>
[[nodiscard]] EigenSparse* eigen_sparse_view(const EigenDense<T>& problem);
template <class T>
[[nodiscard]] EigenCsr<T> eigen_arrays(const EigenSparse* matrix);
template <class T>
void eigen_delete(EigenSparse* matrix);
/// The dense form into `values`.
template <class T>
void eigen_to_dense(const EigenCsr<T>& problem, T* values);

[[nodiscard]] const char* eigen_version();

}  // namespace switchyard::command::bench
