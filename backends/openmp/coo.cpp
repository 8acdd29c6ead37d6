// y = alpha A x + beta y for coordinates, and their conversions from and to CSR, on the host's
// threads.
#include "coo.hpp"

#include <algorithm>
#include <array>

#include "row_kernels.hpp"
#include "row_shares.hpp"
#include "team.hpp"

namespace switchyard::openmp {
namespace {

// The work is the list of all rows and elements: element k of row i comes after the beginnings of
// the rows up to i, at place k + i + 1. Cut anywhere, its pieces take equally long, whether rows
// are empty or one holds everything.

/// The product takes the list in runs of at least so many places, and in so many runs at most.
/// Nothing but the matrix decides where a run begins, so that threads do not change the sums.
constexpr Index smallest_run = 8192;
constexpr Index most_runs = 256;
/// Rows whose beginnings are found together before they are summed.
constexpr Index rows_of_block = 512;

/// The place `target` of the list: so many rows have begun before it, and so many elements.
template <class RowIndex>
Place place_in(std::span<const RowIndex> row_of, Index target) {
  Index low = 0;
  Index high = std::ssize(row_of);
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (middle + row_of[static_cast<std::size_t>(middle)] + 1 < target) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return {target - low, low};
}

/// A matrix and the vectors of its product.
template <Element T, class RowIndex>
struct CooProduct {
  const RowKernels<T>& kernels;
  std::span<const RowIndex> row_of;
  CsrRows<T, std::int64_t> work;  ///< without offsets

  /// Sums rows [row, end), whose elements begin with `first`. Returns where they end.
  Index multiply(Index row, Index end, Index first) const {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): written before it is read
    std::array<std::int64_t, rows_of_block + 1> starts;
    const RowIndex* const at = row_of.data();
    for (; row < end; row += rows_of_block) {
      const Index rows = std::min(rows_of_block, end - row);
      std::fill_n(starts.begin(), rows + 1, 0);
      Index k = first;
      // Each element says where its row ends, as far as it knows.
      for (; k < work.nnz && at[k] < row + rows; ++k) {
        starts[static_cast<std::size_t>(at[k] - row + 1)] = k - first + 1;
      }
      std::int64_t before = 0;
      for (Index r = 1; r <= rows; ++r) {
        std::int64_t& start = starts[static_cast<std::size_t>(r)];
        start = before = std::max(before, start);
      }
      CsrRows<T, std::int64_t> block = work;
      block.offsets = starts.data();
      block.columns += first;
      block.values += first;
      block.nnz -= first;
      block.y += row;
      kernels.csr_wide(block, 0, rows);
      first = k;
    }
    return first;
  }
  [[nodiscard]] Piece<T> piece(Index row, Index first, Index end) const {
    return {row, kernels.csr_sum(work.values + first, work.columns + first, work.x, end - first)};
  }
  /// The first element of [first, end) that is not before row `row`.
  [[nodiscard]] Index first_of(Index row, Index first, Index end) const {
    return std::lower_bound(row_of.data() + first, row_of.data() + end, row) - row_of.data();
  }

  /// Sums the rows that begin and end between two places, and returns the pieces of others.
  Pieces<T> multiply_run(Place begin, Place end) const {
    Pieces<T> pieces{{-1, T{0}}, {-1, T{0}}};
    Index k = begin.nonzero;
    const Index before = begin.row - 1;
    if (before >= 0 && k < end.nonzero && row_of[static_cast<std::size_t>(k)] == before) {
      k = first_of(begin.row, k, end.nonzero);
      pieces.first = piece(before, begin.nonzero, k);
    }
    const Index last = end.row - 1;
    const bool goes_on =
        end.nonzero < work.nnz && row_of[static_cast<std::size_t>(end.nonzero)] == last;
    const bool is_cut = goes_on && end.row > begin.row;
    k = multiply(begin.row, is_cut ? last : end.row, k);
    if (is_cut) pieces.last = piece(last, k, end.nonzero);
    return pieces;
  }
};

template <Element T, class RowIndex>
void multiply_in_runs(const CooProduct<T, RowIndex>& product, Index rows, const Shares& shares) {
  const Index places = rows + product.work.nnz;
  const Index run = std::max(smallest_run, (places + most_runs - 1) / most_runs);
  const auto runs = static_cast<int>((places + run - 1) / run);
  if (runs <= 1) {
    product.multiply(0, rows, 0);
    return;
  }
  const auto place = [&](Index r) {
    return r == runs ? Place{rows, product.work.nnz} : place_in(product.row_of, r * run);
  };
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): written before it is read
  std::array<Pieces<T>, most_runs> pieces;
  share_out_items(shares, runs, 1, [&](Index first, Index end) {
    Place begin = place(first);
    for (Index r = first; r < end; ++r) {
      const Place next = place(r + 1);
      pieces[static_cast<std::size_t>(r)] = product.multiply_run(begin, next);
      begin = next;
    }
  });
  join(product.work, std::span<const Pieces<T>>(pieces.data(), static_cast<std::size_t>(runs)));
}

/// Columns and values [begin, end), which COO and CSR have alike.
template <class From, class To>
void copy_elements(const From& from, To& to, Index begin, Index end) {
  std::copy(from.columns.data() + begin, from.columns.data() + end, to.columns.data() + begin);
  std::copy(from.values.data() + begin, from.values.data() + end, to.values.data() + begin);
}

}  // namespace

template <Element T>
void multiply_coo(const MultiplyArguments<T>& arguments) {
  const auto& a = std::get<Coo<T>>(arguments.matrix);
  std::visit(
      [&]<class RowIndex>(const Array<RowIndex>& row_indices) {
        const Index bytes = a.nnz * Index{sizeof(T) + sizeof(Column) + sizeof(RowIndex)};
        const CooProduct<T, RowIndex> product{
            best_row_kernels<T>(),
            row_indices.span(),
            {nullptr, a.columns.data(), a.values.data(), a.nnz, arguments.alpha, arguments.x.data(),
             arguments.beta, arguments.y.data()}};
        multiply_in_runs(product, a.rows, shares_of_product(arguments, bytes));
      },
      a.row_indices);
}

template <Element T>
Storage<T> convert_csr_to_coo(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Csr<T>>(matrix);
  auto to = Coo<T>::sized(from.rows, from.cols, from.nnz, executor.memory());
  if (from.nnz == 0) return to;
  const Shares shares =
      shares_of_work(executor, from.nnz * Index{sizeof(T) + sizeof(Column) + sizeof(Column)});
  const auto fill = [&](const auto& offsets, auto& row_of, Place begin, Place end) {
    using RowIndex = std::remove_cvref_t<decltype(row_of[0])>;
    Index row = begin.row;
    for (Index k = begin.nonzero; k < end.nonzero; ++row) {
      const Index row_end = std::min(Index{offsets[row + 1]}, end.nonzero);
      std::fill(row_of.data() + k, row_of.data() + row_end, static_cast<RowIndex>(row));
      k = row_end;
    }
    copy_elements(from, to, begin.nonzero, end.nonzero);
  };
  std::visit(
      [&](const auto& offsets, auto& row_of) {
        share_out(shares, [&](int part) {
          const auto place = [&](int of) {
            if (of == shares.parts) return Place{from.rows, from.nnz};
            return place_at(offsets.data(), from.rows,
                            part_begin(from.rows + from.nnz, of, shares.parts));
          };
          fill(offsets, row_of, place(part), place(part + 1));
        });
      },
      from.offsets, to.row_indices);
  return to;
}

template <Element T>
Storage<T> convert_coo_to_csr(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Coo<T>>(matrix);
  auto to = Csr<T>::sized(from.rows, from.cols, from.nnz, executor.memory());
  const Shares shares = shares_of_work(
      executor, from.nnz * Index{sizeof(T) + sizeof(Column)} + from.rows * Index{sizeof(Column)});
  std::visit(
      [&]<class RowIndex, class Offset>(const Array<RowIndex>& row_of, Array<Offset>& offsets) {
        share_out_items(shares, from.rows + from.nnz, 1, [&](Index first, Index last) {
          const Place begin = place_in(row_of.span(), first);
          const Place end = place_in(row_of.span(), last);
          Index row = begin.row;
          for (Index k = begin.nonzero; k < end.nonzero; ++k) {
            for (; row <= row_of[k]; ++row) offsets[row] = static_cast<Offset>(k);
          }
          for (; row < end.row; ++row) offsets[row] = static_cast<Offset>(end.nonzero);
          copy_elements(from, to, begin.nonzero, end.nonzero);
        });
        offsets[from.rows] = static_cast<Offset>(from.nnz);
      },
      from.row_indices, to.offsets);
  return to;
}

template void multiply_coo(const MultiplyArguments<float>&);
template void multiply_coo(const MultiplyArguments<double>&);
template Storage<float> convert_csr_to_coo(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_coo(Executor&, const Storage<double>&);
template Storage<float> convert_coo_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_coo_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::openmp
