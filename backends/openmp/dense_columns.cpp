// Y = alpha A X + beta Y and Y = alpha A^T X + beta Y for a dense A, on the host's threads.
#include "column_kernels.hpp"
#include "column_sums.hpp"
#include "columns.hpp"
#include "team.hpp"

namespace switchyard::openmp {
namespace {

/// Rows summed together: no thread's share ends within them.
constexpr Index rows_together = 8;
/// The narrowest share of columns that is read fast, in bytes of a row.
constexpr Index narrowest_share = 1024;

template <Element T>
DensePart<T> whole_of(const MultiplyArguments<T>& arguments) {
  const auto& a = std::get<Dense<T>>(arguments.matrix);
  return {a.values.data(),    a.cols, 0, a.rows, 0, a.cols, arguments.columns,
          arguments.x.data(), nullptr};
}

/// Shares of the multiplication of a dense matrix.
template <Element T>
Shares shares_for(const MultiplyArguments<T>& arguments) {
  const auto& a = std::get<Dense<T>>(arguments.matrix);
  return shares_of_product(arguments, a.rows * a.cols * Index{sizeof(T)});
}

}  // namespace

template <Element T>
void multiply_dense_columns(const MultiplyArguments<T>& arguments) {
  const DensePart<T> whole = whole_of(arguments);
  Shares shares = shares_for(arguments);
  const auto& kernels = best_column_kernels<T>();
  const Index k = arguments.columns;
  const bool few_rows = shares.threads > 1 && whole.row_end < shares.threads * rows_together &&
                        whole.cols > whole.row_end;
  if (few_rows) shares.parts = shares.threads;
  Sums<T> sums(arguments, few_rows ? shares.parts : 1);
  share_out(shares, [&](int number) {
    DensePart<T> part = whole;
    part.sums = sums.copy(few_rows ? number : 0);
    if (few_rows) {
      part.col_begin = part_begin(whole.cols, number, shares.parts);
      part.col_end = part_begin(whole.cols, number + 1, shares.parts);
    } else {
      part.row_begin = part_begin(whole.row_end, number, shares.parts, rows_together);
      part.row_end = part_begin(whole.row_end, number + 1, shares.parts, rows_together);
    }
    kernels.dense(part);
    if (!few_rows) sums.finish(part.row_begin * k, part.row_end * k);
  });
  if (few_rows) sums.finish(0, sums.size());
}

template <Element T>
void multiply_dense_transposed(const MultiplyArguments<T>& arguments) {
  const DensePart<T> whole = whole_of(arguments);
  Shares shares = shares_for(arguments);
  const auto& kernels = best_column_kernels<T>();
  const Index k = arguments.columns;
  const Index widest = whole.cols * Index{sizeof(T)} / narrowest_share;
  // Tall matrices are shared by rows, each share with sums of its own.
  const bool by_rows = shares.threads > 1 && widest < shares.threads;
  shares.parts = by_rows
                     ? shares.threads
                     : static_cast<int>(std::min<Index>(shares.parts, std::max<Index>(widest, 1)));
  Sums<T> sums(arguments, by_rows ? shares.parts : 1);
  share_out(shares, [&](int number) {
    DensePart<T> part = whole;
    part.sums = sums.copy(by_rows ? number : 0);
    if (by_rows) {
      part.row_begin = part_begin(whole.row_end, number, shares.parts);
      part.row_end = part_begin(whole.row_end, number + 1, shares.parts);
    } else {
      part.col_begin = part_begin(whole.cols, number, shares.parts, 64 / Index{sizeof(T)});
      part.col_end = part_begin(whole.cols, number + 1, shares.parts, 64 / Index{sizeof(T)});
    }
    std::fill(part.sums + part.col_begin * k, part.sums + part.col_end * k, T{0});
    kernels.dense_transposed(part);
    if (!by_rows) sums.finish(part.col_begin * k, part.col_end * k);
  });
  if (by_rows) sums.finish(0, sums.size());
}

template void multiply_dense_columns(const MultiplyArguments<float>&);
template void multiply_dense_columns(const MultiplyArguments<double>&);
template void multiply_dense_transposed(const MultiplyArguments<float>&);
template void multiply_dense_transposed(const MultiplyArguments<double>&);

}  // namespace switchyard::openmp
