// y = alpha A x + beta y for HYB, and its conversions from and to CSR, on the host's threads.
#include "hyb.hpp"

#include <array>
#include <numeric>

#include "room.hpp"
#include "row_kernels.hpp"
#include "team.hpp"

namespace switchyard::openmp {
namespace {

/// Rows summed before their y is updated. A multiple of eight, so that which rows are summed
/// together depends on no number of threads.
constexpr Index block = 512;
/// Rows that threads share out: a line of each column of slots.
constexpr Index rows_of_line = 16;

/// The row before which about `target` of the places of slots and rest are; a multiple of
/// `rows_of_line`.
template <Element T>
Index row_before(const Hyb<T>& a, Index target) {
  const Index row_places = a.width + 1;
  return std::visit(
      [&](const auto& row_of) {
        Index low = 0;
        Index high = a.rest();
        while (low < high) {
          const Index middle = low + (high - low) / 2;
          if (middle + row_of[middle] * row_places < target) {
            low = middle + 1;
          } else {
            high = middle;
          }
        }
        const Index row = std::min((target - low) / row_places, a.rows);
        return row / rows_of_line * rows_of_line;
      },
      a.rest_rows);
}

/// Calls work(begin, end) for rows that have about as many places each.
template <Element T, class Work>
void share_out_rows(const Hyb<T>& a, const Shares& shares, const Work& work) {
  const Index places = a.rows * (a.width + 1) + a.rest();
  const auto begin = [&](int part) {
    if (part == shares.parts) return a.rows;
    return row_before(a, part_begin(places, part, shares.parts));
  };
  share_out(shares, [&](int part) { work(begin(part), begin(part + 1)); });
}

/// Adds what rows [first, first + rows) have without a slot, the first of it element `r` of the
/// rest, to their sums. Returns where that ends.
template <Element T, class RowIndex>
Index add_rest(const MultiplyArguments<T>& arguments, const Array<RowIndex>& row_of, Index r,
               Index first, Index rows, T* sums) {
  const auto& a = std::get<Hyb<T>>(arguments.matrix);
  const auto& kernels = best_row_kernels<T>();
  const T* const values = a.values.data() + a.slots_of_rows();
  const Column* const columns = a.columns.data() + a.slots_of_rows();
  while (r < row_of.size() && row_of[r] < first + rows) {
    const Index begin = r;
    while (r < row_of.size() && row_of[r] == row_of[begin]) ++r;
    sums[row_of[begin] - first] +=
        kernels.csr_sum(values + begin, columns + begin, arguments.x.data(), r - begin);
  }
  return r;
}

template <Element T>
void multiply_rows(const MultiplyArguments<T>& arguments, Index begin, Index end) {
  const auto& a = std::get<Hyb<T>>(arguments.matrix);
  const auto& kernels = best_row_kernels<T>();
  std::array<T, block> sums;
  std::visit(
      [&](const auto& row_of) {
        Index r = first_in_row(a.rest_rows, begin);
        for (Index first = begin; first < end; first += block) {
          const Index rows = std::min(block, end - first);
          const SlicedRows<T> work{a.values.data() + first, a.columns.data() + first, a.rows,
                                   a.lengths.data() + first, arguments.x.data()};
          kernels.sliced_sums(work, rows, sums.data());
          r = add_rest(arguments, row_of, r, first, rows, sums.data());
          T* const y = arguments.y.data() + first;
          for (Index i = 0; i < rows; ++i) {
            y[i] =
                updated(arguments.alpha, sums[static_cast<std::size_t>(i)], arguments.beta, y[i]);
          }
        }
      },
      a.rest_rows);
}

/// Fills in rows [begin, end), whose rest begins with element r of all.
template <Element T, class RowIndex>
void fill_rows(const Csr<T>& from, Hyb<T>& to, Array<RowIndex>& row_of, Index begin, Index end,
               Index r) {
  const Index slots = to.slots_of_rows();
  for (Index i = begin; i < end; ++i) {
    const Index first = from.offset(i);
    const Index length = from.offset(i + 1) - first;
    const Index in_slots = std::min(length, to.width);
    to.lengths[i] = static_cast<Column>(in_slots);
    for (Index k = 0; k < to.width; ++k) {
      to.columns[k * to.rows + i] = k < in_slots ? from.columns[first + k] : 0;
      to.values[k * to.rows + i] = k < in_slots ? from.values[first + k] : T{0};
    }
    for (Index k = in_slots; k < length; ++k, ++r) {
      row_of[r] = static_cast<RowIndex>(i);
      to.columns[slots + r] = from.columns[first + k];
      to.values[slots + r] = from.values[first + k];
    }
  }
}

}  // namespace

template <Element T>
void multiply_hyb(const MultiplyArguments<T>& arguments) {
  const auto& a = std::get<Hyb<T>>(arguments.matrix);
  const Shares shares = shares_of_product(arguments, a.slots() * Index{sizeof(T) + sizeof(Column)});
  share_out_rows(a, shares, [&](Index begin, Index end) { multiply_rows(arguments, begin, end); });
}

template <Element T>
Storage<T> convert_csr_to_hyb(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Csr<T>>(matrix);
  const Index width = hyb_split(rows_of_matrix(from)).width;
  require_room(executor, from.rows, width, sizeof(T) + sizeof(Column));
  const Shares shares = shares_of_work(executor, from.nnz * Index{sizeof(T) + sizeof(Column)});
  const auto first_row = [&](int part) {
    return part_begin(from.rows, part, shares.parts, rows_of_line);
  };
  std::array<Index, most_threads + 1> rest{};
  share_out(shares, [&](int part) {
    Index elements = 0;
    for (Index i = first_row(part); i < first_row(part + 1); ++i) {
      elements += std::max<Index>(from.offset(i + 1) - from.offset(i) - width, 0);
    }
    rest[static_cast<std::size_t>(part) + 1] = elements;
  });
  std::partial_sum(rest.begin(), rest.end(), rest.begin());
  auto to = Hyb<T>::sized({from.rows, from.cols, from.nnz, width, {}, {}, {}, {}}, rest.back(),
                          executor.memory());
  std::visit(
      [&](auto& row_of) {
        share_out(shares, [&](int part) {
          // Line by line, so that each is in the cache for all of its rows.
          Index r = rest[static_cast<std::size_t>(part)];
          fill_rows(from, to, row_of, first_row(part), first_row(part + 1), r);
        });
      },
      to.rest_rows);
  return to;
}

template <Element T>
Storage<T> convert_hyb_to_csr(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Hyb<T>>(matrix);
  auto to = Csr<T>::sized(from.rows, from.cols, from.nnz, executor.memory());
  std::visit(
      [&]<class RowIndex, class Offset>(const Array<RowIndex>& row_of, Array<Offset>& offsets) {
        Offset* const at = offsets.data();
        at[0] = 0;
        Index r = 0;
        for (Index i = 0; i < from.rows; ++i) {
          const Index first = r;
          while (r < row_of.size() && row_of[r] == i) ++r;
          at[i + 1] = static_cast<Offset>(at[i] + from.lengths[i] + (r - first));
        }
        const Shares shares = shares_of_work(executor, from.nnz * Index{sizeof(T)});
        share_out_rows(from, shares, [&](Index begin, Index end) {
          Index rest = from.slots_of_rows() + first_in_row(from.rest_rows, begin);
          for (Index i = begin; i < end; ++i) {
            Index place = at[i];
            for (Index k = 0; k < from.lengths[i]; ++k, ++place) {
              to.columns[place] = from.columns[k * from.rows + i];
              to.values[place] = from.values[k * from.rows + i];
            }
            for (; place < at[i + 1]; ++place, ++rest) {
              to.columns[place] = from.columns[rest];
              to.values[place] = from.values[rest];
            }
          }
        });
      },
      from.rest_rows, to.offsets);
  return to;
}

template void multiply_hyb(const MultiplyArguments<float>&);
template void multiply_hyb(const MultiplyArguments<double>&);
template Storage<float> convert_csr_to_hyb(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_hyb(Executor&, const Storage<double>&);
template Storage<float> convert_hyb_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_hyb_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::openmp
