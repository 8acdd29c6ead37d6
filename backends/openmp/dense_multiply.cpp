// y = alpha A x + beta y for dense rows, on the host's threads.
#include <omp.h>

#include <algorithm>
#include <array>

#include "openmp/operations.hpp"
#include "row_kernels.hpp"

namespace switchyard::openmp {
namespace {

constexpr int most_parts = 256;

/// Splits each row over the threads: for matrices with fewer rows than threads.
template <Element T>
void multiply_few_rows(const DenseRows<T>& work, Index rows, int threads) {
  const auto& kernels = best_row_kernels<T>();
  std::array<T, most_parts> partial;
  const int parts = std::min(threads, most_parts);
  for (Index i = 0; i < rows; ++i) {
    const T* const row = work.values + i * work.cols;
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (int part = 0; part < parts; ++part) {
      const Index begin = work.cols * part / parts;
      const Index end = work.cols * (part + 1) / parts;
      partial[static_cast<std::size_t>(part)] =
          kernels.dot(row + begin, work.x + begin, end - begin);
    }
    // Added in the order of the parts, so that the same call gives the same bits.
    T sum = 0;
    for (int part = 0; part < parts; ++part) sum += partial[static_cast<std::size_t>(part)];
    T& y = work.y[i];
    y = work.beta == T{0} ? work.alpha * sum : work.alpha * sum + work.beta * y;
  }
}

}  // namespace

template <Element T>
void multiply_dense(Executor&, const Storage<T>& matrix, T alpha, const Array<T>& x, T beta,
                    Array<T>& y) {
  const auto& a = std::get<Dense<T>>(matrix);
  const DenseRows<T> work{a.values.data(), a.cols, alpha, x.data(), beta, y.data()};
  const auto& kernels = best_row_kernels<T>();
  const Index bytes = a.rows * a.cols * Index{sizeof(T)};
  const int threads = omp_get_max_threads();
  if (bytes < bytes_worth_threads || threads == 1) return kernels.dense(work, 0, a.rows);
  if (a.rows < threads) return multiply_few_rows(work, a.rows, threads);
#pragma omp parallel
  {
    const Index team = omp_get_num_threads();
    const Index me = omp_get_thread_num();
    kernels.dense(work, a.rows * me / team, a.rows * (me + 1) / team);
  }
}

template void multiply_dense(Executor&, const Storage<float>&, float, const Array<float>&, float,
                             Array<float>&);
template void multiply_dense(Executor&, const Storage<double>&, double, const Array<double>&,
                             double, Array<double>&);

}  // namespace switchyard::openmp
