// Maps of several sparse matrices, element by element, on the host's threads.
#include <algorithm>
#include <array>
#include <limits>

#include "matrix_skeletons.hpp"
#include "team.hpp"

namespace switchyard::openmp {
namespace {

template <Element T>
using Operands = std::span<const Csr<T>* const>;

/// Elements that are computed at once: they stay in the nearest cache.
constexpr std::size_t chunk = 256;
/// Behind the last column: no matrix has so many.
constexpr Column no_column = std::numeric_limits<Column>::max();

/// Walks along rows of several sparse matrices side by side, column by column. Of two, which are
/// the most frequent, loops over operands are unrolled.
template <Element T, bool of_two>
class MergedRows {
 public:
  MergedRows(const UserFunction<T>& function, Operands<T> in) : function_(function), in_(in) {
    for (std::size_t k = 0; k < operands(); ++k) operands_[k] = values_[k].data();
  }

  /// Calls visit(column, value) for the results of one row that are not zero, columns ascending.
  template <class Visit>
  void visit(Index row, const Visit& visit) {
    for (std::size_t k = 0; k < operands(); ++k) {
      const Index begin = in_[k]->offset(row);
      walks_[k] = {in_[k]->columns.data() + begin, in_[k]->values.data() + begin,
                   in_[k]->columns.data() + in_[k]->offset(row + 1)};
    }
    for (Column column = next_column(); column != no_column; column = next_column()) {
      take(column);
      if (count_ == chunk) finish(row, visit);
    }
    finish(row, visit);
  }

 private:
  struct Walk {
    const Column* at = nullptr;
    const T* value = nullptr;
    const Column* end = nullptr;
  };

  [[nodiscard]] std::size_t operands() const { return of_two ? 2 : in_.size(); }

  /// Where a walk is.
  [[nodiscard]] static Column column_of(const Walk& walk) {
    return walk.at != walk.end ? *walk.at : no_column;
  }

  [[nodiscard]] Column next_column() const {
    Column column = no_column;
    for (std::size_t k = 0; k < operands(); ++k) column = std::min(column, column_of(walks_[k]));
    return column;
  }

  /// The elements of all in that column, which the walks leave behind.
  void take(Column column) {
    for (std::size_t k = 0; k < operands(); ++k) {
      Walk& walk = walks_[k];
      const bool has = column_of(walk) == column;
      // Which of them have an element is not foreseen: a value is loaded in any case, no branch
      // depends on it.
      const T* const value = has ? walk.value : &zero_;
      values_[k][count_] = *value;
      walk.at += has ? 1 : 0;
      walk.value += has ? 1 : 0;
    }
    columns_[count_++] = column;
  }

  /// Computes what has been taken.
  template <class Visit>
  void finish(Index row, const Visit& visit) {
    if (function_.by_place) {
      for (std::size_t i = 0; i < count_; ++i) results_[i] = at_place(row, i);
    } else if (count_ > 0) {
      const auto size = static_cast<Index>(count_);
      function_.map(function_.object, {operands_.data(), 0, size, size, 1, {}}, results_.data());
    }
    for (std::size_t i = 0; i < count_; ++i) {
      if (results_[i] != T{0}) visit(columns_[i], results_[i]);
    }
    count_ = 0;
  }

  [[nodiscard]] T at_place(Index row, std::size_t i) const {
    std::array<T, most_operands> values;
    for (std::size_t k = 0; k < operands(); ++k) values[k] = values_[k][i];
    return function_.at(function_.object, row, columns_[i], values.data());
  }

  const UserFunction<T>& function_;
  Operands<T> in_;
  std::array<Walk, most_operands> walks_{};
  std::array<const T*, most_operands> operands_{};
  std::size_t count_ = 0;
  T zero_{0};
  std::array<Column, chunk> columns_;
  std::array<std::array<T, chunk>, most_operands> values_;
  std::array<T, chunk> results_;
};

template <Element T>
Index bytes_read(Operands<T> in) {
  Index bytes = 0;
  for (const Csr<T>* const matrix : in) {
    bytes += matrix->nnz * Index{sizeof(T) + sizeof(Column)} +
             matrix->rows * Index{sizeof(std::int32_t)};
  }
  return bytes;
}

/// Where each row of the result begins, and the end of the last.
template <Element T, bool of_two>
Array<std::int64_t> offsets_of(const Shares& shares, const UserFunction<T>& function,
                               Operands<T> in) {
  const Index rows = in.front()->rows;
  Array<std::int64_t> offsets(rows + 1);
  offsets[0] = 0;
  share_out_items(shares, rows, 1, [&](Index begin, Index end) {
    MergedRows<T, of_two> merged(function, in);
    for (Index row = begin; row < end; ++row) {
      Index count = 0;
      merged.visit(row, [&](Column, T) { ++count; });
      offsets[row + 1] = count;
    }
  });
  for (Index row = 0; row < rows; ++row) offsets[row + 1] += offsets[row];
  return offsets;
}

template <Element T, bool of_two>
Csr<T> merged_matrix(Executor& executor, const UserFunction<T>& function, Operands<T> in) {
  const Index rows = in.front()->rows;
  const Shares shares = shares_of_work(executor, bytes_read<T>(in));
  const Array<std::int64_t> offsets = offsets_of<T, of_two>(shares, function, in);
  auto result = Csr<T>::sized(rows, in.front()->cols, offsets[rows]);
  share_out_items(shares, rows, 1, [&](Index begin, Index end) {
    MergedRows<T, of_two> merged(function, in);
    for (Index row = begin; row < end; ++row) {
      Index k = offsets[row];
      merged.visit(row, [&](Column column, T value) {
        result.columns[k] = column;
        result.values[k++] = value;
      });
    }
  });
  std::visit(
      [&](auto& kept) {
        using Kept = std::remove_reference_t<decltype(kept[0])>;
        for (Index row = 0; row <= rows; ++row) kept[row] = static_cast<Kept>(offsets[row]);
      },
      result.offsets);
  return result;
}

}  // namespace

template <Element T>
Csr<T> merge(Executor& executor, const ElementFunction<T>& function, Operands<T> in) {
  return in.size() == 2 ? merged_matrix<T, true>(executor, function.function, in)
                        : merged_matrix<T, false>(executor, function.function, in);
}

template Csr<float> merge(Executor&, const ElementFunction<float>&, Operands<float>);
template Csr<double> merge(Executor&, const ElementFunction<double>&, Operands<double>);

}  // namespace switchyard::openmp
