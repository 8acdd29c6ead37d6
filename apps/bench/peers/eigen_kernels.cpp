// Eigen's products and conversions, compiled for AVX2 and FMA.
#include "eigen_kernels.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wdeprecated-enum-enum-conversion"
#include <Eigen/Dense>
#include <Eigen/Sparse>
#pragma GCC diagnostic pop

namespace switchyard::command::bench {
namespace {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using Sparse = Eigen::SparseMatrix<T, Eigen::RowMajor, int>;
template <class T>
using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

template <class T>
Eigen::Map<const Matrix<T>> mapped(const EigenDense<T>& problem) {
  return {problem.values, problem.rows, problem.cols};
}

template <class T>
Eigen::Map<const Sparse<T>> mapped(const EigenCsr<T>& problem) {
  return {problem.rows,    problem.cols,    problem.nnz,
          problem.offsets, problem.columns, problem.values};
}

/// y = a x, where x and y are of the type `Vectors`: one column or many, row-major.
template <class Vectors, class A, class T>
void multiply(const A& a, const EigenColumns<T>& vectors) {
  const Eigen::Map<const Vectors> x(vectors.x, a.cols(), vectors.columns);
  Eigen::Map<Vectors> y(vectors.y, a.rows(), vectors.columns);
  y.noalias() = a * x;
}

template <class A, class T>
void multiply_any(const A& a, const EigenColumns<T>& vectors) {
  if (vectors.columns == 1) return multiply<Vector<T>>(a, vectors);
  multiply<Matrix<T>>(a, vectors);
}

template <class Problem>
void multiply(const Problem& problem) {
  const auto a = mapped(problem);
  if (problem.vectors.transposed) return multiply_any(a.transpose(), problem.vectors);
  multiply_any(a, problem.vectors);
}

template <class T>
Sparse<T>* sparse(EigenSparse* matrix) {
  return reinterpret_cast<Sparse<T>*>(matrix);
}

}  // namespace

void eigen_multiply(const EigenDense<float>& problem) { multiply(problem); }
void eigen_multiply(const EigenDense<double>& problem) { multiply(problem); }
void eigen_multiply(const EigenCsr<float>& problem) { multiply(problem); }
void eigen_multiply(const EigenCsr<double>& problem) { multiply(problem); }

template <class T>
EigenSparse* eigen_sparse_view(const EigenDense<T>& problem) {
  return reinterpret_cast<EigenSparse*>(new Sparse<T>(mapped(problem).sparseView()));
}

template <class T>
EigenCsr<T> eigen_arrays(const EigenSparse* matrix) {
  const Sparse<T>& a = *reinterpret_cast<const Sparse<T>*>(matrix);
  return {static_cast<std::int32_t>(a.rows()),
          static_cast<std::int32_t>(a.cols()),
          static_cast<std::int32_t>(a.nonZeros()),
          a.outerIndexPtr(),
          a.innerIndexPtr(),
          a.valuePtr()};
}

template <class T>
void eigen_delete(EigenSparse* matrix) {
  delete sparse<T>(matrix);
}

template <class T>
void eigen_to_dense(const EigenCsr<T>& problem, T* values) {
  Eigen::Map<Matrix<T>>(values, problem.rows, problem.cols) = mapped(problem);
}

const char* eigen_version() {
  static_assert(EIGEN_WORLD_VERSION == 3);
  return EIGEN_MAJOR_VERSION == 4 ? "3.4" : "3";
}

template EigenSparse* eigen_sparse_view(const EigenDense<float>&);
template EigenSparse* eigen_sparse_view(const EigenDense<double>&);
template EigenCsr<float> eigen_arrays<float>(const EigenSparse*);
template EigenCsr<double> eigen_arrays<double>(const EigenSparse*);
template void eigen_delete<float>(EigenSparse*);
template void eigen_delete<double>(EigenSparse*);
template void eigen_to_dense(const EigenCsr<float>&, float*);
template void eigen_to_dense(const EigenCsr<double>&, double*);

}  // namespace switchyard::command::bench
