// Scaling the rows or the columns of a matrix by factors of their own.
#include <algorithm>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/containers/threads.hpp>
#include <switchyard/core/matrix_operations.hpp>

#include "execution/vector_work.hpp"

namespace switchyard {
namespace {

/// Whether a matrix is held in dense alone.
template <Element T>
bool is_dense(const GMatrix<T>& matrix) {
  return std::ranges::all_of(matrix.states(),
                             [](State state) { return state.format == Format::Dense; });
}

/// Zeros stay zero in every format, those that are stored too.
template <Element T>
T scaled(T value, T factor) {
  return value == T{0} ? T{0} : factor * value;
}

/// Multiplies each element by `factor(row, column)`, where the matrix is changed in least time.
template <Element T, class Factor>
void scale_elements(GMatrix<T>& matrix, const Factor& factor) {
  const Index columns = std::max(matrix.cols(), Index{1});
  const auto change_dense = [&](std::span<T> values) {
    const auto bytes = static_cast<Index>(2 * values.size_bytes());
    const Index rows = std::ssize(values) / columns;
    share_out_items(shares_of(bytes), rows, 1, [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) {
        T* const elements = values.data() + row * columns;
        for (Index j = 0; j < columns; ++j) elements[j] = scaled(elements[j], factor(row, j));
      }
    });
  };
  const auto change_csr = [&](const Csr<T>& pattern, std::span<T> values) {
    const Index bytes = pattern.nnz * Index{2 * sizeof(T) + sizeof(Column)};
    share_out_items(shares_of(bytes), pattern.rows, 1, [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) {
        for (Index k = pattern.offset(row); k < pattern.offset(row + 1); ++k) {
          T& value = values[static_cast<std::size_t>(k)];
          value = scaled(value, factor(row, Index{pattern.columns[k]}));
        }
      }
    });
  };
  is_dense(matrix) ? matrix.write_dense(change_dense) : matrix.write_csr(change_csr);
}

}  // namespace

template <Element T>
void scale_rows(GMatrix<T>& matrix, const Vector<T>& factors) {
  check_size(factors.size(), matrix.rows());
  with_enough_memory([&] {
    const T* const by_row = factors.read().data();
    scale_elements(matrix, [by_row](Index row, Index) { return by_row[row]; });
  });
}

template <Element T>
void scale_columns(GMatrix<T>& matrix, const Vector<T>& factors) {
  check_size(factors.size(), matrix.cols());
  with_enough_memory([&] {
    const T* const by_column = factors.read().data();
    scale_elements(matrix, [by_column](Index, Index column) { return by_column[column]; });
  });
}

template void scale_rows(GMatrix<float>&, const Vector<float>&);
template void scale_rows(GMatrix<double>&, const Vector<double>&);
template void scale_columns(GMatrix<float>&, const Vector<float>&);
template void scale_columns(GMatrix<double>&, const Vector<double>&);

}  // namespace switchyard
