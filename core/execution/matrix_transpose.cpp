// The transpose of a matrix as another one.
#include <algorithm>
#include <switchyard/containers/threads.hpp>

#include "execution/matrix_state.hpp"

namespace switchyard {
namespace {

/// Rows whose elements are written side by side: so many lines of the source stay in the cache
/// while its columns are walked.
constexpr Index tile = 32;

template <Element T>
Dense<T> transpose_of(const Dense<T>& matrix) {
  auto result = Dense<T>::sized(matrix.cols, matrix.rows);
  const Index bytes = 2 * matrix.values.size() * Index{sizeof(T)};
  share_out_items(shares_of(bytes), matrix.cols, tile, [&](Index begin, Index end) {
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

/// REQUIRES: dense, CSR or CSC, in host memory.
template <Element T>
Storage<T> transpose_of(const Storage<T>& storage) {
  if (const auto* const dense = std::get_if<Dense<T>>(&storage)) return transpose_of(*dense);
  Storage<T> copy = transferred(storage, plain_host_memory());
  if (auto* const by_columns = std::get_if<Csc<T>>(&copy)) return std::move(by_columns->transpose);
  auto& by_rows = std::get<Csr<T>>(copy);
  return Csc<T>{by_rows.cols, by_rows.rows, by_rows.nnz, std::move(by_rows)};
}

}  // namespace

template <Element T>
State MatrixState<T>::state_to_transpose() const {
  const std::vector<State> states = contents_.copies.states();
  for (const bool at_home : {true, false}) {
    for (const Format format : {Format::Csc, Format::Csr, Format::Dense}) {
      const auto is_it = [&](State state) {
        return state.format == format && state.space.is_host() == at_home;
      };
      if (std::ranges::any_of(states, is_it)) return {Space::host(), format};
    }
  }
  return {Space::host(), Format::Csr};
}

template <Element T>
std::shared_ptr<MatrixState<T>> MatrixState<T>::transposed() {
  const auto transpose = [&] {
    const Lock lock(mutex_);
    require_a_copy();
    (void)narrow<Column>(rows_.load());
    const State state = state_to_transpose();
    go_to(state);
    return transpose_of(contents_.copies.find(state)->storage());
  };
  return make(runtime_, transpose());
}

template State MatrixState<float>::state_to_transpose() const;
template State MatrixState<double>::state_to_transpose() const;
template std::shared_ptr<MatrixState<float>> MatrixState<float>::transposed();
template std::shared_ptr<MatrixState<double>> MatrixState<double>::transposed();

}  // namespace switchyard
