// y = alpha A x + beta y for CSR rows, on the host's threads.
#include "openmp/operations.hpp"
#include "row_kernels.hpp"
#include "row_shares.hpp"

namespace switchyard::openmp {
namespace {

/// Plain CSR, for `multiply_in_shares`.
template <Element T, class Offset>
struct PlainRows {
  using Element = T;
  const RowKernels<T>& kernels;
  CsrRows<T, Offset> work;

  void multiply(Index begin, Index end) const {
    if constexpr (sizeof(Offset) == 4) {
      kernels.csr(work, begin, end);
    } else {
      kernels.csr_wide(work, begin, end);
    }
  }
  [[nodiscard]] T sum(Index /*row*/, Index begin, Index end) const {
    return kernels.csr_sum(work.values + begin, work.columns + begin, work.x, end - begin);
  }
};

}  // namespace

template <Element T>
void multiply_csr(const MultiplyArguments<T>& arguments) {
  const Csr<T>& a = compressed_rows(arguments.matrix);
  const Shares shares = shares_of_product(arguments, a.nnz * Index{sizeof(T) + sizeof(Column)});
  std::visit(
      [&]<class Offset>(const Array<Offset>& offsets) {
        const CsrRows<T, Offset> work{offsets.data(), a.columns.data(),  a.values.data(),
                                      a.nnz,          arguments.alpha,   arguments.x.data(),
                                      arguments.beta, arguments.y.data()};
        multiply_in_shares(PlainRows<T, Offset>{best_row_kernels<T>(), work}, a.rows, shares);
      },
      a.offsets);
}

template void multiply_csr(const MultiplyArguments<float>&);
template void multiply_csr(const MultiplyArguments<double>&);

}  // namespace switchyard::openmp
