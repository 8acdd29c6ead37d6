// The loops themselves. Compiled once for each instruction set, with SWITCHYARD_ISA naming it (see
// backends/CMakeLists.txt).
#include "row_kernels.hpp"

namespace switchyard::openmp::SWITCHYARD_ISA {
namespace {

// Independent partial sums: enough to hide the latency of four vector additions of 64 bytes.
template <class T>
constexpr int lanes = 4 * 64 / static_cast<int>(sizeof(T));

template <class T>
T sum_of(const T* partial) {
  T sums[8] = {};
  for (int i = 0; i < lanes<T>; i += 8) {
    for (int j = 0; j < 8; ++j) sums[j] += partial[i + j];
  }
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

template <class T>
T dot(const T* a, const T* x, std::int64_t count) {
  T partial[lanes<T>] = {};
  std::int64_t j = 0;
  for (; j + lanes<T> <= count; j += lanes<T>) {
    for (int l = 0; l < lanes<T>; ++l) partial[l] += a[j + l] * x[j + l];
  }
  for (int l = 0; j < count; ++j, ++l) partial[l] += a[j] * x[j];
  return sum_of(partial);
}

template <class T>
void store(T* y, T alpha, T sum, T beta) {
  *y = beta == T(0) ? alpha * sum : alpha * sum + beta * *y;
}

template <class T>
void dense(const DenseRows<T>& work, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    const T sum = dot(work.values + i * work.cols, work.x, work.cols);
    store(work.y + i, work.alpha, sum, work.beta);
  }
}

template <class T>
T gathered_dot(const T* values, const std::int32_t* columns, const T* x, std::int64_t count) {
  constexpr int width = 16;
  T partial[width] = {};
  std::int64_t k = 0;
  for (; k + width <= count; k += width) {
    for (int l = 0; l < width; ++l) partial[l] += values[k + l] * x[columns[k + l]];
  }
  T rest = 0;
  for (; k < count; ++k) rest += values[k] * x[columns[k]];
  if (count < width) return rest;
  T sums[4] = {};
  for (int i = 0; i < width; i += 4) {
    for (int j = 0; j < 4; ++j) sums[j] += partial[i + j];
  }
  return ((sums[0] + sums[2]) + (sums[1] + sums[3])) + rest;
}

template <class T, class Offset>
void csr(const CsrRows<T, Offset>& work, std::int64_t begin, std::int64_t end) {
  std::int64_t first = work.offsets[begin];
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t last = work.offsets[i + 1];
    const T sum = gathered_dot(work.values + first, work.columns + first, work.x, last - first);
    store(work.y + i, work.alpha, sum, work.beta);
    first = last;
  }
}

}  // namespace

template <class T>
RowKernels<T> row_kernels() {
  return {&dense<T>, &csr<T, std::int32_t>, &csr<T, std::int64_t>, &dot<T>};
}

template RowKernels<float> row_kernels();
template RowKernels<double> row_kernels();

}  // namespace switchyard::openmp::SWITCHYARD_ISA
