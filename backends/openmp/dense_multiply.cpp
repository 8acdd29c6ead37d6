// y = alpha A x + beta y for dense rows, on the host's threads.
#include <array>

#include "openmp/operations.hpp"
#include "row_kernels.hpp"
#include "team.hpp"

namespace switchyard::openmp {
namespace {

/// Rows summed together (see dense_rows.ipp): no thread's share ends within them.
constexpr Index rows_together = 4;

/// Splits each row over the threads: for matrices with so few rows that whole ones would leave
/// threads without work.
template <Element T>
void multiply_few_rows(const DenseRows<T>& work, int threads) {
  const auto& kernels = best_row_kernels<T>();
  std::array<std::array<T, rows_together>, most_threads> partial;
  for (Index first = 0; first < work.rows; first += rows_together) {
    const T* const row = work.values + first * work.cols;
    const Index rows = std::min(rows_together, work.rows - first);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int part = 0; part < threads; ++part) {
      const Index begin = part_begin(work.cols, part, threads);
      const Index count = part_begin(work.cols, part + 1, threads) - begin;
      kernels.dense_sums(row + begin, rows, work.cols, work.x + begin, count,
                         partial[static_cast<std::size_t>(part)].data());
    }
    // Added in the order of the parts, so that the same call gives the same bits.
    for (Index r = 0; r < rows; ++r) {
      const auto place = static_cast<std::size_t>(r);
      T sum = 0;
      for (int part = 0; part < threads; ++part) {
        sum += partial[static_cast<std::size_t>(part)][place];
      }
      T& y = work.y[first + r];
      y = updated(work.alpha, sum, work.beta, y);
    }
  }
}

}  // namespace

template <Element T>
void multiply_dense(const MultiplyArguments<T>& arguments) {
  const auto& a = std::get<Dense<T>>(arguments.matrix);
  const DenseRows<T> work{
      a.values.data(),   a.rows, a.cols, arguments.alpha, arguments.x.data(), arguments.beta,
      arguments.y.data()};
  const auto& kernels = best_row_kernels<T>();
  const int threads = team_size(arguments.threads);
  if (threads == 1) return kernels.dense(work, 0, a.rows);
  if (a.rows < threads * rows_together && a.cols > a.rows) return multiply_few_rows(work, threads);
#pragma omp parallel num_threads(threads)
  {
    const int team = omp_get_num_threads();
    const int me = omp_get_thread_num();
    kernels.dense(work, part_begin(a.rows, me, team, rows_together),
                  part_begin(a.rows, me + 1, team, rows_together));
  }
}

template void multiply_dense(const MultiplyArguments<float>&);
template void multiply_dense(const MultiplyArguments<double>&);

}  // namespace switchyard::openmp
