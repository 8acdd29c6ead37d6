// y = alpha A x + beta y for packed CSR, on the host's threads.
#include "packed.hpp"

#include "packed_kernels.hpp"
#include "row_shares.hpp"

namespace switchyard::openmp {
namespace {

/// Packed CSR, for `multiply_in_shares`. Neighbouring tiles with the same base are multiplied at
/// once: the loops are fastest on many rows.
template <Element T, class Offset>
struct TeamRows {
  using Element = T;
  const Packed<T>& a;
  const PackedKernels<T>& kernels;
  PackedRows<T, Offset> work;  // with x from column 0 on

  void multiply(Index begin, Index end) const {
    if (a.tiles.size() == 0) return run_rows(kernel(true), work, begin, end);
    while (begin < end) begin = multiply_run(begin, end);
  }

  [[nodiscard]] T sum(Index row, Index begin, Index end) const {
    if (a.tiles.size() == 0) return kernel(true).sum(work.values, work.columns, work.x, begin, end);
    const PackedTile& tile = a.tiles[row / packed_tile_rows];
    const PackedRows<T, Offset> rows = rows_in(tile);
    return kernel(tile.base < 0).sum(rows.values, rows.columns, rows.x, begin, end);
  }

 private:
  [[nodiscard]] const PackedKernel<T>& kernel(bool wide) const {
    const auto coding = static_cast<std::size_t>(a.coding().values);
    return wide ? kernels.wide[coding] : kernels.narrow[coding];
  }

  /// The work on rows of that tile.
  [[nodiscard]] PackedRows<T, Offset> rows_in(const PackedTile& tile) const {
    PackedRows<T, Offset> rows = work;
    // Element k of the matrix is read at k, as that of plain CSR is.
    if (tile.base < 0) {
      rows.columns = a.wide.data() - tile.shift;
    } else {
      rows.columns = a.narrow.data() - tile.shift;
      rows.x += tile.base;
    }
    return rows;
  }

  /// Multiplies the rows from `begin` on that count from the same base, and returns their end.
  [[nodiscard]] Index multiply_run(Index begin, Index end) const {
    Index t = begin / packed_tile_rows;
    const PackedTile& tile = a.tiles[t];
    Index run_end = begin;
    for (; run_end < end && a.tiles[t].base == tile.base; ++t) {
      run_end = std::min((t + 1) * packed_tile_rows, a.rows);
    }
    PackedRows<T, Offset> rows = rows_in(tile);
    rows.readable = work.offsets[run_end];
    run_end = std::min(run_end, end);
    run_rows(kernel(tile.base < 0), rows, begin, run_end);
    return run_end;
  }
};

/// Blocked columns, for `multiply_in_shares`.
template <Element T, class Offset>
struct TeamBlockedRows {
  using Element = T;
  const BlockedKernel<T>& kernel;
  BlockedRows<T, Offset> work;

  void multiply(Index begin, Index end) const { run_rows(kernel, work, begin, end); }

  [[nodiscard]] T sum(Index row, Index begin, Index end) const {
    if constexpr (sizeof(Offset) == 4) {
      return kernel.sum(work, row, begin, end);
    } else {
      return kernel.sum_wide(work, row, begin, end);
    }
  }
};

template <Element T, class Offset>
void multiply_blocked(const MultiplyArguments<T>& arguments, const Packed<T>& a,
                      const Array<Offset>& offsets, const Shares& shares) {
  const BlockedRows<T, Offset> work{.offsets = offsets.data(),
                                    .first_heads = std::get<Array<Offset>>(a.first_heads).data(),
                                    .heads = a.heads.data(),
                                    .words = static_cast<int>(words_of_head(a.cols)),
                                    .low = a.low.data(),
                                    .values = {a.values.data(), a.codes.data()},
                                    .nnz = a.nnz,
                                    .alpha = arguments.alpha,
                                    .x = arguments.x.data(),
                                    .beta = arguments.beta,
                                    .y = arguments.y.data()};
  const auto coding = static_cast<std::size_t>(a.coding().values);
  const BlockedKernel<T>& kernel = best_packed_kernels<T>().blocked[coding];
  multiply_in_shares(TeamBlockedRows<T, Offset>{kernel, work}, a.rows, shares);
}

}  // namespace

template <Element T>
void multiply_packed(const MultiplyArguments<T>& arguments) {
  const auto& a = std::get<Packed<T>>(arguments.matrix);
  const auto bytes = static_cast<Index>(bytes_of(arguments.matrix));
  const Shares shares = shares_of_product(arguments, bytes);
  std::visit(
      [&]<class Offset>(const Array<Offset>& offsets) {
        if (a.coding().columns == ColumnCoding::Blocked8) {
          return multiply_blocked(arguments, a, offsets, shares);
        }
        const PackedRows<T, Offset> work{.offsets = offsets.data(),
                                         .columns = a.wide.data(),
                                         .values = {a.values.data(), a.codes.data()},
                                         .nnz = a.nnz,
                                         .readable = a.nnz,
                                         .alpha = arguments.alpha,
                                         .x = arguments.x.data(),
                                         .beta = arguments.beta,
                                         .y = arguments.y.data()};
        multiply_in_shares(TeamRows<T, Offset>{a, best_packed_kernels<T>(), work}, a.rows, shares);
      },
      a.offsets);
}

template void multiply_packed(const MultiplyArguments<float>&);
template void multiply_packed(const MultiplyArguments<double>&);

}  // namespace switchyard::openmp
