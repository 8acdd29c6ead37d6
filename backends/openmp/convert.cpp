// Between dense and CSR on the host's threads.
#include <omp.h>

#include <algorithm>

#include "openmp/operations.hpp"

namespace switchyard::openmp {
namespace {

template <Element T>
Index count_row(const T* row, Index cols) {
  Index count = 0;
#pragma omp simd reduction(+ : count)
  for (Index j = 0; j < cols; ++j) count += row[j] != T{0} ? 1 : 0;
  return count;
}

/// Turns row counts, standing one place to the right, into offsets.
Index sum_up(std::span<Index> offsets) {
  Index total = 0;
  for (Index& offset : offsets) total = offset += total;
  return total;
}

template <Element T, class Offset>
void fill_rows(const Dense<T>& from, Csr<T>& to, const Offset* offsets) {
#pragma omp parallel for schedule(static) if (from.values.size() > bytes_worth_threads / 4)
  for (Index i = 0; i < from.rows; ++i) {
    const T* const row = from.values.data() + i * from.cols;
    Index k = offsets[i];
    for (Index j = 0; j < from.cols; ++j) {
      if (row[j] == T{0}) continue;
      to.columns[k] = static_cast<Column>(j);
      to.values[k] = row[j];
      ++k;
    }
  }
}

template <Element T, class Offset>
void scatter_rows(const Csr<T>& from, Dense<T>& to, const Offset* offsets) {
#pragma omp parallel for schedule(static) if (to.values.size() > bytes_worth_threads / 4)
  for (Index i = 0; i < from.rows; ++i) {
    T* const row = to.values.data() + i * to.cols;
    std::fill(row, row + to.cols, T{0});
    for (Index k = offsets[i]; k < offsets[i + 1]; ++k) row[from.columns[k]] = from.values[k];
  }
}

}  // namespace

template <Element T>
Storage<T> convert_dense_to_csr(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Dense<T>>(matrix);
  Array<Index> counts(from.rows + 1, executor.memory());
  counts[0] = 0;
#pragma omp parallel for schedule(static) if (from.values.size() > bytes_worth_threads / 4)
  for (Index i = 0; i < from.rows; ++i) {
    counts[i + 1] = count_row(from.values.data() + i * from.cols, from.cols);
  }
  const Index nnz = sum_up(counts.span());
  auto to = Csr<T>::sized(from.rows, from.cols, nnz, executor.memory());
  std::visit(
      [&]<class Offset>(Array<Offset>& offsets) {
        std::ranges::transform(counts.span(), offsets.data(),
                               [](Index offset) { return static_cast<Offset>(offset); });
        fill_rows(from, to, offsets.data());
      },
      to.offsets);
  return to;
}

template <Element T>
Storage<T> convert_csr_to_dense(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Csr<T>>(matrix);
  auto to = Dense<T>::sized(from.rows, from.cols, executor.memory());
  std::visit([&](const auto& offsets) { scatter_rows(from, to, offsets.data()); }, from.offsets);
  return to;
}

template Storage<float> convert_dense_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_dense_to_csr(Executor&, const Storage<double>&);
template Storage<float> convert_csr_to_dense(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_dense(Executor&, const Storage<double>&);

}  // namespace switchyard::openmp
