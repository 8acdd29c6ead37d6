// y = alpha A x + beta y for ELLPACK, and its conversions from and to CSR, on the host's threads.
#include "ell.hpp"

#include <array>

#include "room.hpp"
#include "row_kernels.hpp"
#include "team.hpp"

namespace switchyard::openmp {
namespace {

/// Rows summed before their y is updated. A multiple of eight, so that which rows are summed
/// together depends on no number of threads.
constexpr Index block = 512;
/// Rows converted together: a line of each column of slots.
constexpr Index rows_of_line = 16;

template <Element T>
void multiply_rows(const MultiplyArguments<T>& arguments, Index begin, Index end) {
  const auto& a = std::get<Ell<T>>(arguments.matrix);
  const auto& kernels = best_row_kernels<T>();
  std::array<T, block> sums;
  for (Index first = begin; first < end; first += block) {
    const Index rows = std::min(block, end - first);
    const SlicedRows<T> work{a.values.data() + first, a.columns.data() + first, a.rows,
                             a.lengths.data() + first, arguments.x.data()};
    kernels.sliced_sums(work, rows, sums.data());
    T* const y = arguments.y.data() + first;
    for (Index i = 0; i < rows; ++i) {
      y[i] = updated(arguments.alpha, sums[static_cast<std::size_t>(i)], arguments.beta, y[i]);
    }
  }
}

template <Element T>
void fill_rows(const Csr<T>& from, Ell<T>& to, Index begin, Index end) {
  for (Index i = begin; i < end; ++i) {
    const Index first = from.offset(i);
    const Index length = from.offset(i + 1) - first;
    to.lengths[i] = static_cast<Column>(length);
    for (Index k = 0; k < length; ++k) {
      to.columns[k * to.rows + i] = from.columns[first + k];
      to.values[k * to.rows + i] = from.values[first + k];
    }
    for (Index k = length; k < to.width; ++k) {
      to.columns[k * to.rows + i] = 0;
      to.values[k * to.rows + i] = T{0};
    }
  }
}

template <Element T>
Index longest_row(const Csr<T>& csr) {
  Index longest = 0;
  std::visit(
      [&](const auto& offsets) {
        const auto* const at = offsets.data();
        for (Index i = 0; i < csr.rows; ++i) longest = std::max(longest, Index{at[i + 1] - at[i]});
      },
      csr.offsets);
  return longest;
}

}  // namespace

template <Element T>
void multiply_ell(const MultiplyArguments<T>& arguments) {
  const Index rows = rows_of(arguments.matrix);
  const Index slots = slots_of(arguments.matrix);
  const Shares shares = shares_of_product(arguments, slots * Index{sizeof(T) + sizeof(Column)});
  share_out(shares, [&](int part) {
    multiply_rows(arguments, part_begin(rows, part, shares.parts, rows_of_line),
                  part_begin(rows, part + 1, shares.parts, rows_of_line));
  });
}

template <Element T>
Storage<T> convert_csr_to_ell(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Csr<T>>(matrix);
  const Ell<T> header{from.rows, from.cols, from.nnz, longest_row(from), {}, {}, {}};
  require_room(executor, header.rows, header.width, sizeof(T) + sizeof(Column));
  auto to = Ell<T>::sized(header, executor.memory());
  share_out_items(shares_of_work(executor, to.slots() * Index{sizeof(T)}), to.rows, rows_of_line,
                  [&](Index begin, Index end) {
                    for (Index i = begin; i < end; i += rows_of_line) {
                      fill_rows(from, to, i, std::min(i + rows_of_line, end));
                    }
                  });
  return to;
}

template <Element T>
Storage<T> convert_ell_to_csr(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Ell<T>>(matrix);
  auto to = Csr<T>::sized(from.rows, from.cols, from.nnz, executor.memory());
  std::visit(
      [&]<class Offset>(Array<Offset>& offsets) {
        Offset* const at = offsets.data();
        at[0] = 0;
        for (Index i = 0; i < from.rows; ++i) at[i + 1] = at[i] + Offset{from.lengths[i]};
      },
      to.offsets);
  share_out_items(shares_of_work(executor, from.nnz * Index{sizeof(T)}), to.rows, rows_of_line,
                  [&](Index begin, Index end) {
                    for (Index i = begin; i < end; ++i) {
                      Index place = to.offset(i);
                      from.row(i, [&](Column column, T value) {
                        to.columns[place] = column;
                        to.values[place++] = value;
                      });
                    }
                  });
  return to;
}

template void multiply_ell(const MultiplyArguments<float>&);
template void multiply_ell(const MultiplyArguments<double>&);
template Storage<float> convert_csr_to_ell(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_ell(Executor&, const Storage<double>&);
template Storage<float> convert_ell_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_ell_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::openmp
