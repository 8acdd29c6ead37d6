// y = alpha A x + beta y for CSR rows, on the host's threads, balanced by rows plus nonzeros.
#include <omp.h>

#include <algorithm>
#include <ranges>

#include "openmp/operations.hpp"
#include "row_kernels.hpp"

namespace switchyard::openmp {
namespace {

/// The first row at which rows and nonzeros together reach `target` (the merge path's diagonal,
/// cut at whole rows: Merrill and Garland, SC'16).
template <class Offset>
Index row_at(const Offset* offsets, Index rows, Index target) {
  const auto all = std::views::iota(Index{0}, rows);
  return *std::ranges::lower_bound(all, target, {},
                                   [&](Index row) { return row + Index{offsets[row]}; });
}

template <Element T, class Offset, class Kernel>
void run(const Csr<T>& a, const CsrRows<T, Offset>& work, Kernel kernel) {
  const Index bytes = a.nnz * Index{sizeof(T) + sizeof(Column)} + a.rows * Index{sizeof(Offset)};
  if (bytes < bytes_worth_threads || omp_get_max_threads() == 1) return kernel(work, 0, a.rows);
  const Index work_items = a.rows + a.nnz;
#pragma omp parallel
  {
    const Index team = omp_get_num_threads();
    const Index me = omp_get_thread_num();
    const Index begin = row_at(work.offsets, a.rows, work_items / team * me);
    const Index end =
        me + 1 == team ? a.rows : row_at(work.offsets, a.rows, work_items / team * (me + 1));
    if (begin < end) kernel(work, begin, end);
  }
}

}  // namespace

template <Element T>
void multiply_csr(Executor&, const Storage<T>& matrix, T alpha, const Array<T>& x, T beta,
                  Array<T>& y) {
  const auto& a = std::get<Csr<T>>(matrix);
  const auto& kernels = best_row_kernels<T>();
  std::visit(
      [&]<class Offset>(const Array<Offset>& offsets) {
        const CsrRows<T, Offset> work{
            offsets.data(), a.columns.data(), a.values.data(), alpha, x.data(), beta, y.data()};
        if constexpr (sizeof(Offset) == 4) {
          run(a, work, kernels.csr);
        } else {
          run(a, work, kernels.csr_wide);
        }
      },
      a.offsets);
}

template void multiply_csr(Executor&, const Storage<float>&, float, const Array<float>&, float,
                           Array<float>&);
template void multiply_csr(Executor&, const Storage<double>&, double, const Array<double>&, double,
                           Array<double>&);

}  // namespace switchyard::openmp
