// The transpose of a matrix on the host, made by copying.
#include <algorithm>

#include "matrix_skeletons.hpp"
#include "team.hpp"

namespace switchyard::openmp {
namespace {

/// Rows whose elements are written side by side: so many lines of the source stay in the cache
/// while its columns are walked.
constexpr Index tile = 32;

template <Element T>
Dense<T> transpose_of(Executor& executor, const Dense<T>& matrix) {
  auto result = Dense<T>::sized(matrix.cols, matrix.rows);
  const Index bytes = 2 * matrix.values.size() * Index{sizeof(T)};
  share_out_items(shares_of_work(executor, bytes), matrix.cols, tile, [&](Index begin, Index end) {
    for (Index first = begin; first < end; first += tile) {
      const Index last = std::min(first + tile, end);
      for (Index row = 0; row < matrix.rows; row += tile) {
        const Index below = std::min(row + tile, matrix.rows);
        for (Index j = first; j < last; ++j) {
          for (Index i = row; i < below; ++i)
            result.values[j * matrix.rows + i] = matrix.values[i * matrix.cols + j];
        }
      }
    }
  });
  return result;
}

}  // namespace

template <Element T>
Storage<T> transpose(Executor& executor, const Storage<T>& matrix) {
  if (const auto* const dense = std::get_if<Dense<T>>(&matrix))
    return transpose_of(executor, *dense);
  Storage<T> copy = transferred(matrix, plain_host_memory());
  if (auto* const by_columns = std::get_if<Csc<T>>(&copy)) return std::move(by_columns->transpose);
  auto& by_rows = std::get<Csr<T>>(copy);
  return Csc<T>{by_rows.cols, by_rows.rows, by_rows.nnz, std::move(by_rows)};
}

template Storage<float> transpose(Executor&, const Storage<float>&);
template Storage<double> transpose(Executor&, const Storage<double>&);

}  // namespace switchyard::openmp
