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
void multiply_few_rows(const DenseRows<T>& work, const Shares& shares) {
  const auto& kernels = best_row_kernels<T>();
  std::array<std::array<T, rows_together>, most_threads> partial;
  for (Index first = 0; first < work.rows; first += rows_together) {
    const T* const row = work.values + first * work.cols;
    const Index rows = std::min(rows_together, work.rows - first);
    share_out(shares, [&](int part) {
      const Index begin = part_begin(work.cols, part, shares.parts);
      const Index count = part_begin(work.cols, part + 1, shares.parts) - begin;
      kernels.dense_sums(row + begin, rows, work.cols, work.x + begin, count,
                         partial[static_cast<std::size_t>(part)].data());
    });
    // Added in the order of the parts, so that the same call gives the same bits.
    for (Index r = 0; r < rows; ++r) {
      const auto place = static_cast<std::size_t>(r);
      T sum = 0;
      for (int part = 0; part < shares.parts; ++part) {
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
  const Shares shares = shares_of_product(arguments, a.rows * a.cols * Index{sizeof(T)});
  if (shares.threads == 1) return kernels.dense(work, 0, a.rows);
  const bool few_rows = a.rows < fewest_rows_to_share(shares, rows_together);
  if (few_rows && a.cols > a.rows) return multiply_few_rows(work, shares);
  share_out(shares, [&](int part) {
    kernels.dense(work, part_begin(a.rows, part, shares.parts, rows_together),
                  part_begin(a.rows, part + 1, shares.parts, rows_together));
  });
}

template void multiply_dense(const MultiplyArguments<float>&);
template void multiply_dense(const MultiplyArguments<double>&);

}  // namespace switchyard::openmp
