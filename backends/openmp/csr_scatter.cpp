// Y = alpha A^T X + beta Y for CSR rows, on the host's threads.
#include "column_kernels.hpp"
#include "column_sums.hpp"
#include "columns.hpp"
#include "row_shares.hpp"

namespace switchyard::openmp {

bool suits_scatter(const ExecutorFacts& facts, const Structure& structure) {
  return facts.compute_units > 1 && structure.cols * facts.compute_units <= structure.nnz;
}

template <Element T>
void scatter_csr(const MultiplyArguments<T>& arguments) {
  const auto& a = std::get<Csr<T>>(arguments.matrix);
  const Index k = arguments.columns;
  const Index bytes = a.nnz * (Index{sizeof(Column)} + (1 + k) * Index{sizeof(T)});
  Shares shares = shares_of_product(arguments, bytes);
  // Each thread has sums of its own, which are added in the order of the shares.
  shares.parts = shares.threads;
  Sums<T> sums(arguments, shares.parts);
  const auto add_share = [&]<class Offset>(int part, const Array<Offset>& offsets) {
    const auto end_of = [&](int number) {
      if (number == shares.parts) return a.rows;
      return row_at(offsets.data(), a.rows, part_begin(a.rows + a.nnz, number, shares.parts));
    };
    const ScatteredRows<T, Offset> work{offsets.data(),     a.columns.data(), a.values.data(), k,
                                        arguments.x.data(), sums.copy(part)};
    std::fill_n(work.sums, sums.size(), T{0});
    const auto& kernels = best_column_kernels<T>();
    if constexpr (sizeof(Offset) == 4) {
      kernels.scatter(work, end_of(part), end_of(part + 1));
    } else {
      kernels.scatter_wide(work, end_of(part), end_of(part + 1));
    }
  };
  share_out(shares, [&](int part) {
    std::visit([&](const auto& offsets) { add_share(part, offsets); }, a.offsets);
  });
  share_out_items(shares, sums.size(), 64,
                  [&](Index begin, Index end) { sums.finish(begin, end); });
}

template void scatter_csr(const MultiplyArguments<float>&);
template void scatter_csr(const MultiplyArguments<double>&);

}  // namespace switchyard::openmp
