// Changing the contents of a matrix in the C interface.
#include <algorithm>

#include "arguments.hpp"
#include "dense_view.hpp"
#include "failure.hpp"
#include "pattern.hpp"
#include "triplets.hpp"

namespace switchyard::c {
namespace {

void check_count(Index count, Index nnz) {
  if (count == nnz) return;
  throw Error(ErrorCode::DimensionMismatch, "there are " + std::to_string(count) + " values for " +
                                                std::to_string(nnz) + " stored elements");
}

template <Element T>
sy_status set_values(sy_matrix* matrix, const T* values, Index count) {
  return guarded([&] {
    GMatrix<T>& A = matrix_of<T>(matrix);
    const auto given = required_array(values, count, "values");
    // Before anything is dropped, where it is known; a dense matrix may only have been sampled.
    const Structure structure = A.structure();
    if (structure.exact) check_count(count, structure.nnz);
    A.write_csr([&](const Csr<T>& pattern, std::span<T> stored) {
      check_count(count, pattern.nnz);
      std::ranges::copy(given, stored.begin());
    });
  });
}

template <Element T>
sy_status assign_dense(sy_matrix* matrix, Index rows, Index cols, const T* values, int memory) {
  return guarded([&] { matrix_of<T>(matrix).assign(dense_of(rows, cols, values, memory)); });
}

template <Element T>
sy_status assign_csr(sy_matrix* matrix, const sy_csr* pattern, const T* values, int memory) {
  return guarded([&] { matrix_of<T>(matrix).assign(csr_of(pattern, values, memory)); });
}

template <Element T>
sy_status assign_triplets(sy_matrix* matrix, const sy_triplets* places, const T* values) {
  return guarded([&] { matrix_of<T>(matrix).assign(csr_of_triplets(places, values)); });
}

}  // namespace
}  // namespace switchyard::c

using namespace switchyard::c;

sy_status sy_set_values_f32(sy_matrix* matrix, const float* values, int64_t count) {
  return set_values(matrix, values, count);
}
sy_status sy_set_values_f64(sy_matrix* matrix, const double* values, int64_t count) {
  return set_values(matrix, values, count);
}

sy_status sy_assign_dense_f32(sy_matrix* matrix, int64_t rows, int64_t cols, const float* values,
                              int memory) {
  return assign_dense(matrix, rows, cols, values, memory);
}
sy_status sy_assign_dense_f64(sy_matrix* matrix, int64_t rows, int64_t cols, const double* values,
                              int memory) {
  return assign_dense(matrix, rows, cols, values, memory);
}

sy_status sy_assign_csr_f32(sy_matrix* matrix, const sy_csr* pattern, const float* values,
                            int memory) {
  return assign_csr(matrix, pattern, values, memory);
}
sy_status sy_assign_csr_f64(sy_matrix* matrix, const sy_csr* pattern, const double* values,
                            int memory) {
  return assign_csr(matrix, pattern, values, memory);
}

sy_status sy_assign_triplets_f32(sy_matrix* matrix, const sy_triplets* places,
                                 const float* values) {
  return assign_triplets(matrix, places, values);
}
sy_status sy_assign_triplets_f64(sy_matrix* matrix, const sy_triplets* places,
                                 const double* values) {
  return assign_triplets(matrix, places, values);
}
