// Maps of the elements of a matrix that are not zero with vectors beside it, on the host's threads.
#include <algorithm>
#include <array>

#include "matrix_skeletons.hpp"
#include "team.hpp"

namespace switchyard::openmp {
namespace {

/// Elements that are computed at once: they stay in the nearest cache.
constexpr Index chunk = 256;

/// The elements of a few places and those of the vectors, as the user's function takes them. All
/// are in neighbouring places of `values`, where the results replace them.
template <Element T>
class BesideChunk {
 public:
  BesideChunk(const BesideMap<T>& work, T* values)
      : function_(work.function.function), values_(values) {
    if (work.of_rows) vectors_[count_of_vectors_++] = {work.of_rows->data(), false};
    if (work.of_columns) vectors_[count_of_vectors_++] = {work.of_columns->data(), true};
  }

  /// The element in the next place of `values`, counted from the first.
  void add(Index row, Index column) {
    const auto at = static_cast<std::size_t>(count_);
    for (std::size_t k = 0; k < count_of_vectors_; ++k) {
      beside_[k][at] = vectors_[k].elements[vectors_[k].of_columns ? column : row];
    }
    if (function_.by_place) {
      const std::array<T, 3> all{values_[at], beside_[0][at], beside_[1][at]};
      results_[at] = function_.at(function_.object, row, column, all.data());
    }
    if (++count_ == chunk) finish();
  }

  /// Computes what has been added.
  void finish() {
    if (!function_.by_place) {
      const std::array<const T*, 3> operands{values_, beside_[0].data(), beside_[1].data()};
      function_.map(function_.object, {operands.data(), 0, count_, count_, 1, {}}, results_.data());
    }
    for (Index k = 0; k < count_; ++k) {
      values_[k] = values_[k] == T{0} ? T{0} : results_[static_cast<std::size_t>(k)];
    }
    values_ += count_;
    count_ = 0;
  }

 private:
  struct Beside {
    const T* elements = nullptr;
    bool of_columns = false;
  };
  const UserFunction<T>& function_;
  std::array<Beside, 2> vectors_{};
  std::size_t count_of_vectors_ = 0;
  T* values_;
  Index count_ = 0;
  std::array<std::array<T, chunk>, 2> beside_{};
  std::array<T, chunk> results_;
};

template <Element T>
void map_compressed(Executor& executor, const BesideMap<T>& work, const Csr<T>& rows, T* values,
                    bool by_columns) {
  const Index bytes = rows.nnz * Index{2 * sizeof(T) + sizeof(Column)};
  share_out_items(shares_of_work(executor, bytes), rows.rows, 1, [&](Index begin, Index end) {
    BesideChunk<T> elements(work, values + rows.offset(begin));
    for (Index row = begin; row < end; ++row) {
      for (Index k = rows.offset(row); k < rows.offset(row + 1); ++k) {
        const Index column = rows.columns[k];
        by_columns ? elements.add(column, row) : elements.add(row, column);
      }
    }
    elements.finish();
  });
}

template <Element T>
void map_dense(Executor& executor, const BesideMap<T>& work, Dense<T>& matrix) {
  const auto bytes = static_cast<Index>(2 * matrix.values.bytes());
  share_out_items(shares_of_work(executor, bytes), matrix.rows, 1, [&](Index begin, Index end) {
    BesideChunk<T> elements(work, matrix.values.data() + begin * matrix.cols);
    for (Index row = begin; row < end; ++row) {
      for (Index column = 0; column < matrix.cols; ++column) elements.add(row, column);
    }
    elements.finish();
  });
}

}  // namespace

template <Element T>
void map_beside(Executor& executor, const BesideMap<T>& work, Storage<T>& matrix) {
  if (auto* const dense = std::get_if<Dense<T>>(&matrix)) return map_dense(executor, work, *dense);
  map_compressed(executor, work, compressed_rows(matrix), values_of(matrix).data(),
                 format_of(matrix) == Format::Csc);
}

template void map_beside(Executor&, const BesideMap<float>&, Storage<float>&);
template void map_beside(Executor&, const BesideMap<double>&, Storage<double>&);

}  // namespace switchyard::openmp
