// Y = alpha A X + beta Y for CSR rows and many columns, on the host's threads.
#include <array>
#include <optional>

#include "column_kernels.hpp"
#include "columns.hpp"
#include "far_rows.hpp"
#include "row_shares.hpp"

namespace switchyard::openmp {
namespace {

/// Whether a share that ends there cuts a row.
template <class Offset>
bool cuts_row(const Offset* offsets, Index rows, Place end) {
  return end.row < rows && end.nonzero > Index{offsets[end.row]};
}

/// The sums of a part of a row, in a row of its own.
template <Element T, class Offset>
void sum_piece(const ColumnRows<T, Offset>& work, Index begin, Index end, T* sums) {
  const std::array<Index, 2> offsets{begin, end};
  ColumnRows<T, Index> piece{offsets.data(), work.columns,  work.values,   nullptr,
                             work.count,     work.x_stride, work.y_stride, work.x_is_far,
                             T{1},           work.x,        T{0},          sums};
  run_rows(best_column_kernels<T>(), piece, 0, 1);
}

/// What each share has of the rows that are cut: its first piece and its last, a row of sums each.
template <Element T>
class CutRows {
 public:
  CutRows(int parts, Index columns) : columns_(columns), sums_(2 * parts * columns) {
    numbers_.fill(-1);
  }
  /// The place for the sums of a piece of that row.
  T* place(int part, int piece, Index row) {
    const int at = 2 * part + piece;
    numbers_[static_cast<std::size_t>(at)] = row;
    return sums_.data() + at * columns_;
  }
  /// Puts the rows together in the order of their pieces, so that the same call gives the same
  /// bits.
  template <class Offset>
  void join(const ColumnRows<T, Offset>& work) {
    T* row = nullptr;
    Index number = -1;
    const auto finish = [&] {
      if (number < 0) return;
      T* const y = work.y + number * columns_;
      for (Index c = 0; c < columns_; ++c) y[c] = updated(work.alpha, row[c], work.beta, y[c]);
    };
    for (std::size_t at = 0; at < numbers_.size(); ++at) {
      if (numbers_[at] < 0) continue;
      T* const piece = sums_.data() + static_cast<Index>(at) * columns_;
      if (numbers_[at] == number) {
        for (Index c = 0; c < columns_; ++c) row[c] += piece[c];
        continue;
      }
      finish();
      row = piece;
      number = numbers_[at];
    }
    finish();
  }

 private:
  Index columns_;
  Array<T> sums_;
  std::array<Index, 2 * std::size_t{most_threads}> numbers_;
};

/// The rows of one share, as `multiply_share` in row_shares.hpp.
template <Element T, class Offset>
void multiply_part(const ColumnRows<T, Offset>& work, int part, Place begin, Place end,
                   CutRows<T>* cut) {
  Index first_row = begin.row;
  if (begin.nonzero > Index{work.offsets[begin.row]}) {
    const Index row_end = std::min(Index{work.offsets[begin.row + 1]}, end.nonzero);
    sum_piece(work, begin.nonzero, row_end, cut->place(part, 0, begin.row));
    ++first_row;
  }
  if (first_row < end.row) run_rows(best_column_kernels<T>(), work, first_row, end.row);
  if (cut && first_row <= end.row && end.nonzero > Index{work.offsets[end.row]}) {
    sum_piece(work, work.offsets[end.row], end.nonzero, cut->place(part, 1, end.row));
  }
}

template <Element T, class Offset>
void multiply_in_parts(const ColumnRows<T, Offset>& work, Index rows, const Shares& shares) {
  if (shares.parts == 1 || rows == 0) return run_rows(best_column_kernels<T>(), work, 0, rows);
  const Index nnz = work.offsets[rows];
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): written before it is read
  std::array<Place, std::size_t{most_threads} + 1> ends;
  bool any_cut = false;
  for (int part = 0; part <= shares.parts; ++part) {
    Place& end = ends[static_cast<std::size_t>(part)];
    end = part == shares.parts
              ? Place{rows, nnz}
              : place_at(work.offsets, rows, part_begin(rows + nnz, part, shares.parts));
    any_cut = any_cut || cuts_row(work.offsets, rows, end);
  }
  std::optional<CutRows<T>> cut;
  if (any_cut) cut.emplace(shares.parts, work.count);
  share_out(shares, [&](int part) {
    const auto at = static_cast<std::size_t>(part);
    multiply_part(work, part, ends[at], ends[at + 1], cut ? &*cut : nullptr);
  });
  if (cut) cut->join(work);
}

}  // namespace

template <Element T>
void multiply_csr_columns(const MultiplyArguments<T>& arguments) {
  const Csr<T>& a = compressed_rows(arguments.matrix);
  const Index k = arguments.columns;
  const Index bytes = a.nnz * (Index{sizeof(Column)} + (1 + k) * Index{sizeof(T)});
  const Shares shares = shares_of_product(arguments, bytes);
  const bool x_is_far =
      reads_far_rows(a.columns.data(), a.nnz, a.rows, a.cols, k * Index{sizeof(T)});
  std::visit(
      [&]<class Offset>(const Array<Offset>& offsets) {
        const ColumnRows<T, Offset> work{offsets.data(),
                                         a.columns.data(),
                                         a.values.data(),
                                         nullptr,
                                         k,
                                         k,
                                         k,
                                         x_is_far,
                                         arguments.alpha,
                                         arguments.x.data(),
                                         arguments.beta,
                                         arguments.y.data()};
        multiply_in_parts(work, a.rows, shares);
      },
      a.offsets);
}

template void multiply_csr_columns(const MultiplyArguments<float>&);
template void multiply_csr_columns(const MultiplyArguments<double>&);

}  // namespace switchyard::openmp
