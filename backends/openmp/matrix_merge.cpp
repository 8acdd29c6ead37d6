// Maps of several sparse matrices, element by element, on the host's threads.
#include <array>
#include <optional>

#include "matrix_skeletons.hpp"
#include "team.hpp"

namespace switchyard::openmp {
namespace {

template <Element T>
using Operands = std::span<const Csr<T>* const>;

/// Walks along one row of several sparse matrices, column by column.
template <Element T>
class UnionOfRows {
 public:
  UnionOfRows(Operands<T> matrices, Index row) : matrices_(matrices) {
    for (std::size_t k = 0; k < matrices.size(); ++k) {
      next_[k] = matrices[k]->offset(row);
      end_[k] = matrices[k]->offset(row + 1);
    }
  }
  /// The next column in which any has an element, with the values of all in `values`.
  [[nodiscard]] std::optional<Column> next(std::span<T> values) {
    std::optional<Column> column;
    for (std::size_t k = 0; k < matrices_.size(); ++k) {
      if (next_[k] == end_[k]) continue;
      const Column here = matrices_[k]->columns[next_[k]];
      if (!column || here < *column) column = here;
    }
    if (!column) return column;
    for (std::size_t k = 0; k < matrices_.size(); ++k) {
      const bool has = next_[k] < end_[k] && matrices_[k]->columns[next_[k]] == *column;
      values[k] = has ? matrices_[k]->values[next_[k]++] : T{0};
    }
    return column;
  }

 private:
  Operands<T> matrices_;
  std::array<Index, most_operands> next_{};
  std::array<Index, most_operands> end_{};
};

/// Calls visit(column, value) for the results of one row that are not zero.
template <Element T, class Visit>
void visit_row(const UserFunction<T>& function, Operands<T> in, Index row, const Visit& visit) {
  UnionOfRows<T> elements(in, row);
  std::array<T, most_operands> values;
  while (const auto column = elements.next(values)) {
    const T value = function.at(function.object, row, *column, values.data());
    if (value != T{0}) visit(*column, value);
  }
}

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
template <Element T>
Array<std::int64_t> offsets_of(const Shares& shares, const UserFunction<T>& function,
                               Operands<T> in) {
  const Index rows = in.front()->rows;
  Array<std::int64_t> offsets(rows + 1);
  offsets[0] = 0;
  share_out_items(shares, rows, 1, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      Index count = 0;
      visit_row<T>(function, in, row, [&](Column, T) { ++count; });
      offsets[row + 1] = count;
    }
  });
  for (Index row = 0; row < rows; ++row) offsets[row + 1] += offsets[row];
  return offsets;
}

}  // namespace

template <Element T>
Csr<T> merge(Executor& executor, const ElementFunction<T>& function, Operands<T> in) {
  const UserFunction<T>& f = function.function;
  const Index rows = in.front()->rows;
  const Shares shares = shares_of_work(executor, bytes_read<T>(in));
  const Array<std::int64_t> offsets = offsets_of<T>(shares, f, in);
  auto result = Csr<T>::sized(rows, in.front()->cols, offsets[rows]);
  share_out_items(shares, rows, 1, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      Index k = offsets[row];
      visit_row<T>(f, in, row, [&](Column column, T value) {
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

template Csr<float> merge(Executor&, const ElementFunction<float>&, Operands<float>);
template Csr<double> merge(Executor&, const ElementFunction<double>&, Operands<double>);

}  // namespace switchyard::openmp
