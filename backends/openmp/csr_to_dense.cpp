// CSR to dense on the host's threads: rows are put together in a core's cache and written once.
#include "openmp/operations.hpp"
#include "row_kernels.hpp"
#include "team.hpp"

namespace switchyard::openmp {
namespace {

/// Elements put together before they are written.
constexpr Index stretch = 4096;

template <Element T, class Offset>
void scatter_row(const Csr<T>& from, const Offset* offsets, Index i, T* row) {
  std::fill(row, row + from.cols, T{0});
  for (Index k = offsets[i]; k < offsets[i + 1]; ++k) row[from.columns[k]] = from.values[k];
}

/// Asks for `count` elements, as many as the stretch before had.
template <class U>
void prefetch(const U* from, Index count) {
  for (Index j = 0; j < count; j += 64 / Index{sizeof(U)}) __builtin_prefetch(from + j);
}

/// The same by way of `buffer`, `stretch` zeros, and past the caches.
template <Element T, class Offset>
void stream_row(const Csr<T>& from, const Offset* offsets, Index i, T* row, T* buffer) {
  const Column* column = from.columns.data() + offsets[i];
  const Column* const row_end = from.columns.data() + offsets[i + 1];
  const T* value = from.values.data() + offsets[i];
  for (Index first = 0; first < from.cols; first += stretch) {
    const Index count = std::min(stretch, from.cols - first);
    // At most one nonzero for each column.
    const Column* const most = row_end - column > count ? column + count : row_end;
    const Column* const end = std::lower_bound(column, most, first + count);
    T* const place = buffer - first;
    prefetch(end, end - column);
    prefetch(value + (end - column), end - column);
    for (; column < end; ++column, ++value) place[*column] = *value;
    best_row_kernels<T>().stream(row + first, buffer, count * Index{sizeof(T)});
    std::fill(buffer, buffer + count, T{0});
  }
}

template <Element T, class Offset>
void fill(const Executor& executor, const Csr<T>& from, Dense<T>& to, const Offset* offsets) {
  const bool past_caches = exceeds_caches(executor, to.values.bytes());
  share_out_items(shares_of_work(executor, to.values.size() * Index{sizeof(T)}), from.rows, 1,
                  [&](Index begin, Index end) {
                    T buffer[stretch];
                    if (past_caches) std::fill(buffer, buffer + stretch, T{0});
                    for (Index i = begin; i < end; ++i) {
                      T* const row = to.values.data() + i * to.cols;
                      if (past_caches) {
                        stream_row(from, offsets, i, row, buffer);
                      } else {
                        scatter_row(from, offsets, i, row);
                      }
                    }
                    best_row_kernels<T>().fence();
                  });
}

}  // namespace

template <Element T>
Storage<T> convert_csr_to_dense(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Csr<T>>(matrix);
  auto to = Dense<T>::sized(from.rows, from.cols, executor.memory());
  std::visit([&](const auto& offsets) { fill(executor, from, to, offsets.data()); }, from.offsets);
  return to;
}

template Storage<float> convert_csr_to_dense(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_dense(Executor&, const Storage<double>&);

}  // namespace switchyard::openmp
