// Making and freeing matrices in the C interface.
#include <switchyard/containers/matrix_file.hpp>

#include "arguments.hpp"
#include "dense_view.hpp"
#include "failure.hpp"
#include "pattern.hpp"
#include "triplets.hpp"

namespace switchyard::c {
namespace {

/// Makes a matrix of what `storage` returns.
template <Element T, class MakeStorage>
sy_status make(const sy_runtime* runtime, sy_matrix** matrix, const MakeStorage& storage) {
  return guarded([&] {
    const Runtime& yard = required(runtime, "runtime").runtime;
    sy_matrix*& result = required(matrix, "matrix");
    result = new sy_matrix{yard.matrix<T>(Storage<T>(storage()))};
  });
}

template <Element T>
sy_status read(const sy_runtime* runtime, const char* file, sy_matrix** matrix) {
  return make<T>(runtime, matrix,
                 [&] { return read_matrix<T>(std::string(&required(file, "file"))); });
}

}  // namespace
}  // namespace switchyard::c

using namespace switchyard::c;

sy_status sy_matrix_dense_f32(const sy_runtime* runtime, int64_t rows, int64_t cols,
                              const float* values, int memory, sy_matrix** matrix) {
  return make<float>(runtime, matrix, [&] { return dense_of(rows, cols, values, memory); });
}
sy_status sy_matrix_dense_f64(const sy_runtime* runtime, int64_t rows, int64_t cols,
                              const double* values, int memory, sy_matrix** matrix) {
  return make<double>(runtime, matrix, [&] { return dense_of(rows, cols, values, memory); });
}

sy_status sy_matrix_csr_f32(const sy_runtime* runtime, const sy_csr* pattern, const float* values,
                            int memory, sy_matrix** matrix) {
  return make<float>(runtime, matrix, [&] { return csr_of(pattern, values, memory); });
}
sy_status sy_matrix_csr_f64(const sy_runtime* runtime, const sy_csr* pattern, const double* values,
                            int memory, sy_matrix** matrix) {
  return make<double>(runtime, matrix, [&] { return csr_of(pattern, values, memory); });
}

sy_status sy_matrix_triplets_f32(const sy_runtime* runtime, const sy_triplets* places,
                                 const float* values, sy_matrix** matrix) {
  return make<float>(runtime, matrix, [&] { return csr_of_triplets(places, values); });
}
sy_status sy_matrix_triplets_f64(const sy_runtime* runtime, const sy_triplets* places,
                                 const double* values, sy_matrix** matrix) {
  return make<double>(runtime, matrix, [&] { return csr_of_triplets(places, values); });
}

sy_status sy_matrix_read_f32(const sy_runtime* runtime, const char* file, sy_matrix** matrix) {
  return read<float>(runtime, file, matrix);
}
sy_status sy_matrix_read_f64(const sy_runtime* runtime, const char* file, sy_matrix** matrix) {
  return read<double>(runtime, file, matrix);
}

void sy_matrix_free(sy_matrix* matrix) { delete matrix; }
