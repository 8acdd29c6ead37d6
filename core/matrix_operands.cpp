// Maps of several matrices, element by element.
#include <algorithm>
#include <array>
#include <optional>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/containers/threads.hpp>
#include <switchyard/core/skeletons.hpp>
#include <vector>

#include "execution/zeros.hpp"

namespace switchyard::skeleton {
namespace {

template <Element T>
std::vector<Storage<T>> copies_of(std::span<const GMatrix<T>* const> in, Format format) {
  std::vector<Storage<T>> copies;
  for (const GMatrix<T>* const matrix : in) copies.push_back(matrix->copy_out(format));
  return copies;
}

template <Element T>
Storage<T> dense_map(const UserFunction<T>& function, std::span<const GMatrix<T>* const> in) {
  const auto copies = copies_of(in, Format::Dense);
  auto result = Dense<T>::sized(in.front()->rows(), in.front()->cols());
  std::array<const T*, most_operands> operands{};
  std::ranges::transform(copies, operands.begin(),
                         [](const Storage<T>& copy) { return values_of(copy).data(); });
  const Index size = result.values.size();
  const Index bytes = size * static_cast<Index>((in.size() + 1) * sizeof(T));
  share_out_items(shares_of(bytes), size, 64 / Index{sizeof(T)}, [&](Index begin, Index end) {
    function.map(function.object,
                 {operands.data(), begin, end, size, std::max(result.cols, Index{1}), {}},
                 result.values.data() + begin);
  });
  return result;
}

/// Walks along one row of several sparse matrices, column by column.
template <Element T>
class UnionOfRows {
 public:
  UnionOfRows(std::span<const Storage<T>> matrices, Index row) : matrices_(matrices) {
    for (std::size_t k = 0; k < matrices.size(); ++k) {
      next_[k] = of(k).offset(row);
      end_[k] = of(k).offset(row + 1);
    }
  }
  /// The next column in which any has an element, with the values of all in `values`.
  [[nodiscard]] std::optional<Column> next(std::span<T> values) {
    std::optional<Column> column;
    for (std::size_t k = 0; k < matrices_.size(); ++k) {
      if (next_[k] == end_[k]) continue;
      const Column here = of(k).columns[next_[k]];
      if (!column || here < *column) column = here;
    }
    if (!column) return column;
    for (std::size_t k = 0; k < matrices_.size(); ++k) {
      const bool has = next_[k] < end_[k] && of(k).columns[next_[k]] == *column;
      values[k] = has ? of(k).values[next_[k]++] : T{0};
    }
    return column;
  }

 private:
  [[nodiscard]] const Csr<T>& of(std::size_t k) const { return std::get<Csr<T>>(matrices_[k]); }

  std::span<const Storage<T>> matrices_;
  std::array<Index, most_operands> next_{};
  std::array<Index, most_operands> end_{};
};

/// Calls visit(column, value) for the results of one row that are not zero.
template <Element T, class Visit>
void visit_row(const UserFunction<T>& function, std::span<const Storage<T>> in, Index row,
               const Visit& visit) {
  UnionOfRows<T> elements(in, row);
  std::array<T, most_operands> values;
  while (const auto column = elements.next(values)) {
    const T value = function.at(function.object, row, *column, values.data());
    if (value != T{0}) visit(*column, value);
  }
}

/// Counts first, and computes again: results that are zero are not stored.
template <Element T>
Storage<T> sparse_map(const UserFunction<T>& function, std::span<const GMatrix<T>* const> in) {
  const auto copies = copies_of(in, Format::Csr);
  const Index rows = in.front()->rows();
  Index bytes = 0;
  for (const Storage<T>& copy : copies) bytes += static_cast<Index>(bytes_of(copy));
  const Shares shares = shares_of(bytes);
  Array<std::int64_t> offsets(rows + 1);
  offsets[0] = 0;
  share_out_items(shares, rows, 1, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      Index count = 0;
      visit_row<T>(function, copies, row, [&](Column, T) { ++count; });
      offsets[row + 1] = count;
    }
  });
  for (Index row = 0; row < rows; ++row) offsets[row + 1] += offsets[row];
  auto result = Csr<T>::sized(rows, in.front()->cols(), offsets[rows]);
  share_out_items(shares, rows, 1, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      Index k = offsets[row];
      visit_row<T>(function, copies, row, [&](Column column, T value) {
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

/// Whether the result is smaller in dense: by the elements that any operand may have.
template <Element T>
bool is_dense(std::span<const GMatrix<T>* const> in) {
  double absent = 1;
  for (const GMatrix<T>* const matrix : in)
    absent *= 1 - std::min(matrix->structure().density(), 1.0);
  return (1 - absent) * static_cast<double>(sizeof(T) + sizeof(Column)) > sizeof(T);
}

}  // namespace

template <Element T>
void map_matrices(GMatrix<T>& out, const UserFunction<T>& function,
                  std::span<const GMatrix<T>* const> in) {
  for (const GMatrix<T>* const matrix : in) {
    check_shape(matrix->rows(), matrix->cols(), in.front()->rows(), in.front()->cols());
  }
  with_enough_memory([&] {
    const auto is_out = [&](const GMatrix<T>* matrix) { return matrix == &out; };
    if (!function.by_place && std::ranges::all_of(in, is_out)) {
      return out.map_elements(function, in.size());
    }
    if (out.map_on_device(function, in)) return;
    RecordedFunction recorded;
    function.record(function.object, recorded);
    const bool dense = !makes_zero(function, recorded) || is_dense(in);
    out.assign(dense ? dense_map(function, in) : sparse_map(function, in));
  });
}

template void map_matrices(GMatrix<float>&, const UserFunction<float>&,
                           std::span<const GMatrix<float>* const>);
template void map_matrices(GMatrix<double>&, const UserFunction<double>&,
                           std::span<const GMatrix<double>* const>);

}  // namespace switchyard::skeleton
