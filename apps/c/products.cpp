// Multiplying in the C interface.
#include "arguments.hpp"
#include "failure.hpp"

namespace switchyard::c {
namespace {

/// The arrays of one call.
template <Element T>
struct Vectors {
  T alpha;
  const T* x;
  Index x_size;
  T beta;
  T* y;
  Index y_size;
};

template <Element T>
sy_status multiply(const sy_matrix* matrix, const sy_request* request, const Vectors<T>& vectors) {
  return guarded([&] {
    const GMatrix<T>& A = matrix_of<T>(matrix);
    const Request wanted = request_of(request);
    const auto x = required_array(vectors.x, vectors.x_size, "x");
    const auto y = required_array(vectors.y, vectors.y_size, "y");
    if (wanted.operand == Operand::Matrix) {
      A.multiply(vectors.alpha, x, vectors.beta, y, wanted.columns);
    } else {
      A.multiply_transposed(vectors.alpha, x, vectors.beta, y, wanted.columns);
    }
  });
}

}  // namespace
}  // namespace switchyard::c

using switchyard::c::multiply;

sy_status sy_multiply_f32(const sy_matrix* matrix, const sy_request* request, float alpha,
                          const float* x, int64_t x_size, float beta, float* y, int64_t y_size) {
  return multiply<float>(matrix, request, {alpha, x, x_size, beta, y, y_size});
}
sy_status sy_multiply_f64(const sy_matrix* matrix, const sy_request* request, double alpha,
                          const double* x, int64_t x_size, double beta, double* y, int64_t y_size) {
  return multiply<double>(matrix, request, {alpha, x, x_size, beta, y, y_size});
}
