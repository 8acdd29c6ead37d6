// Skeletons on the elements of a matrix, on the host's threads: the same bits for any number of
// them.
#include "matrix_skeletons.hpp"

#include <algorithm>
#include <array>

#include "team.hpp"

namespace switchyard::openmp {
namespace {

/// Elements that are computed at once, and then folded.
constexpr std::size_t chunk = 256;
/// Fewer are folded one by one: `fold_in_order` has so many folds side by side, and folds them at
/// its end (100 rows of 4.6 in float on a busy Xeon: 31 us that way, 7 us this way).
constexpr std::size_t few = 32;
/// A fold is cut into so many parts at most, and none shorter than `least_part`: by its size alone,
/// never by the number of threads.
constexpr Index most_parts = 512;
constexpr Index least_part = 8192;

/// The elements of one row that are not zero, with those of x, some at a time.
template <Element T>
class FoldedRow {
 public:
  FoldedRow(const UserFunction<T>& function, const UserFold<T>& fold)
      : function_(function), fold_(fold), folded_(fold.identity) {}

  void add(Index row, Index column, T a, T x) {
    if (a == T{0}) return;
    const std::array<T, 2> pair{a, x};
    if (function_.by_place) {
      values_[count_++] = function_.at(function_.object, row, column, pair.data());
    } else {
      as_[count_] = a;
      xs_[count_++] = x;
    }
    if (count_ == chunk) fold_chunk();
  }
  [[nodiscard]] T result() {
    fold_chunk();
    return static_cast<T>(folded_);
  }

 private:
  void fold_chunk() {
    if (count_ == 0) return;
    const auto count = static_cast<Index>(count_);
    if (!function_.by_place) {
      const std::array<const T*, 2> operands{as_.data(), xs_.data()};
      function_.map(function_.object, {operands.data(), 0, count, count, 1, {}}, values_.data());
    }
    if (count_ < few) {
      for (std::size_t k = 0; k < count_; ++k) {
        folded_ = fold_.combine(fold_.object, folded_, static_cast<double>(values_[k]));
      }
    } else {
      folded_ = fold_.combine(fold_.object, folded_,
                              fold_.fold_in_order(fold_.object, values_.data(), count));
    }
    count_ = 0;
  }

  const UserFunction<T>& function_;
  const UserFold<T>& fold_;
  double folded_;
  std::size_t count_ = 0;
  std::array<T, chunk> as_;
  std::array<T, chunk> xs_;
  std::array<T, chunk> values_;
};

template <Element T>
void fold_row(FoldedRow<T>& folded, const Csr<T>& matrix, Index row, const Array<T>& x) {
  for (Index k = matrix.offset(row); k < matrix.offset(row + 1); ++k) {
    folded.add(row, matrix.columns[k], matrix.values[k], x[matrix.columns[k]]);
  }
}

template <Element T>
void fold_row(FoldedRow<T>& folded, const Dense<T>& matrix, Index row, const Array<T>& x) {
  for (Index j = 0; j < matrix.cols; ++j) {
    folded.add(row, j, matrix.values[row * matrix.cols + j], x[j]);
  }
}

template <Element T>
void fold_rows_of(Executor& executor, const auto& matrix, const RowFold<T>& work, Array<T>& y) {
  const auto bytes = static_cast<Index>(bytes_of(work.matrix)) + y.size() * Index{sizeof(T)};
  share_out_items(shares_of_work(executor, bytes), matrix.rows, 64 / Index{sizeof(T)},
                  [&](Index begin, Index end) {
                    for (Index row = begin; row < end; ++row) {
                      FoldedRow<T> folded(work.function.function, work.fold.fold);
                      fold_row(folded, matrix, row, work.x);
                      y[row] = folded.result();
                    }
                  });
}

/// The row of stored element k.
template <Element T>
Index row_with(const Csr<T>& matrix, Index k) {
  return std::visit(
      [k](const auto& offsets) {
        const auto all = offsets.span();
        return static_cast<Index>(std::ranges::upper_bound(all, k) - all.begin()) - 1;
      },
      matrix.offsets);
}

/// The function of stored element k in that row of CSR, which is a column of CSC.
template <Element T>
T value_at(const UserFunction<T>& function, const Csr<T>& matrix, Index row, Index k,
           bool by_columns) {
  const Index column = matrix.columns[k];
  return function.at(function.object, by_columns ? column : row, by_columns ? row : column,
                     &matrix.values[k]);
}

template <Element T>
bool is_by_columns(const Storage<T>& matrix) {
  return format_of(matrix) == Format::Csc;
}

/// The fold of stored elements `begin` to `end`.
template <Element T>
double fold_part(const UserFunction<T>& function, const UserFold<T>& fold,
                 const Storage<T>& storage, Index begin, Index end) {
  const Csr<T>& matrix = compressed_rows(storage);
  const bool by_columns = is_by_columns(storage);
  std::array<T, chunk> values;
  double result = fold.identity;
  Index row = row_with(matrix, begin);
  for (Index k = begin; k < end;) {
    std::size_t count = 0;
    for (; k < end && count < chunk; ++k) {
      while (matrix.offset(row + 1) <= k) ++row;
      values[count++] = value_at(function, matrix, row, k, by_columns);
    }
    result = fold.combine(fold.object, result,
                          fold.fold(fold.object, values.data(), static_cast<Index>(count)));
  }
  return result;
}

}  // namespace

template <Element T>
void map_places(Executor& executor, const ElementFunction<T>& function, Storage<T>& matrix) {
  const Csr<T>& rows = compressed_rows(matrix);
  Array<T>& values = values_of(matrix);
  const bool by_columns = is_by_columns(matrix);
  const Index bytes = rows.nnz * Index{2 * sizeof(T) + sizeof(Column)};
  share_out_items(shares_of_work(executor, bytes), rows.rows, 1, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      for (Index k = rows.offset(row); k < rows.offset(row + 1); ++k) {
        values[k] = value_at(function.function, rows, row, k, by_columns);
      }
    }
  });
}

template <Element T>
double fold_places(Executor& executor, const ElementFunction<T>& function,
                   const ElementFold<T>& fold, const Storage<T>& storage) {
  const UserFold<T>& op = fold.fold;
  const Csr<T>& matrix = compressed_rows(storage);
  if (matrix.nnz == 0) return op.identity;
  const Index share = std::max(least_part, (matrix.nnz + most_parts - 1) / most_parts);
  const Index parts = (matrix.nnz + share - 1) / share;
  std::array<double, most_parts> results;
  const Index bytes = matrix.nnz * Index{sizeof(T) + sizeof(Column)};
  share_out_items(shares_of_work(executor, bytes), parts, 1, [&](Index first, Index end) {
    for (Index part = first; part < end; ++part) {
      results[static_cast<std::size_t>(part)] = fold_part(
          function.function, op, storage, part * share, std::min((part + 1) * share, matrix.nnz));
    }
  });
  double result = op.identity;
  for (Index part = 0; part < parts; ++part) {
    result = op.combine(op.object, result, results[static_cast<std::size_t>(part)]);
  }
  return result;
}

template <Element T>
void fold_rows(Executor& executor, const RowFold<T>& work, Array<T>& y) {
  if (const auto* const dense = std::get_if<Dense<T>>(&work.matrix)) {
    return fold_rows_of(executor, *dense, work, y);
  }
  fold_rows_of(executor, std::get<Csr<T>>(work.matrix), work, y);
}

template void map_places(Executor&, const ElementFunction<float>&, Storage<float>&);
template void map_places(Executor&, const ElementFunction<double>&, Storage<double>&);
template double fold_places(Executor&, const ElementFunction<float>&, const ElementFold<float>&,
                            const Storage<float>&);
template double fold_places(Executor&, const ElementFunction<double>&, const ElementFold<double>&,
                            const Storage<double>&);
template void fold_rows(Executor&, const RowFold<float>&, Array<float>&);
template void fold_rows(Executor&, const RowFold<double>&, Array<double>&);

}  // namespace switchyard::openmp
