// y = alpha A x + beta y for BSR, and its conversions from and to CSR, on the host's threads.
#include "bsr.hpp"

#include <array>
#include <bit>
#include <limits>

#include "block_kernels.hpp"
#include "room.hpp"
#include "row_shares.hpp"

namespace switchyard::openmp {
namespace {

/// Calls `work` with the size of the format's blocks as a constant.
template <class Work>
void with_block(Format format, const Work& work) {
  if (format == Format::Bsr2) return work(std::integral_constant<Index, 2>{});
  if (format == Format::Bsr3) return work(std::integral_constant<Index, 3>{});
  work(std::integral_constant<Index, 4>{});
}

/// The rows of CSR that make up a block row, and how far each is read.
template <Element T, Index b>
struct RowsOfBlocks {
  static constexpr Column no_block = std::numeric_limits<Column>::max();
  const Column* columns;
  std::array<Index, b> at{};
  std::array<Index, b> end{};

  RowsOfBlocks(const Csr<T>& from, Index block_row) : columns(from.columns.data()) {
    for (Index r = 0; r < b; ++r) {
      const Index row = std::min(block_row * b + r, from.rows);
      at[static_cast<std::size_t>(r)] = from.offset(row);
      end[static_cast<std::size_t>(r)] = from.offset(std::min(row + 1, from.rows));
    }
  }

  /// The block column of the next block, or `no_block`.
  [[nodiscard]] Column next_block() const {
    Column next = no_block;
    for (std::size_t r = 0; r < b; ++r) {
      if (at[r] < end[r]) next = std::min(next, columns[at[r]]);
    }
    return next == no_block ? no_block : static_cast<Column>(next / b);
  }
  /// Calls visit(place, k) for each element k of that block, where `place` counts row by row.
  template <class Visit>
  void take_block(Column block, const Visit& visit) {
    const Index first = Index{block} * b;
    for (std::size_t r = 0; r < b; ++r) {
      Index& k = at[r];
      for (; k < end[r] && columns[k] < first + b; ++k) {
        visit(static_cast<Index>(r) * b + columns[k] - first, k);
      }
    }
  }
};

template <Index b, Element T>
Index count_blocks(const Csr<T>& from, Index block_row) {
  RowsOfBlocks<T, b> rows(from, block_row);
  Index blocks = 0;
  for (Column block = rows.next_block(); block != rows.no_block; block = rows.next_block()) {
    rows.take_block(block, [](Index, Index) {});
    ++blocks;
  }
  return blocks;
}

template <Index b, Element T>
void fill_block_row(const Csr<T>& from, Bsr<T>& to, Index block_row) {
  RowsOfBlocks<T, b> rows(from, block_row);
  Index k = to.offset(block_row);
  for (Column block = rows.next_block(); block != rows.no_block; block = rows.next_block(), ++k) {
    T* const values = to.values.data() + k * b * b;
    std::fill_n(values, b * b, T{0});
    unsigned mask = 0;
    rows.take_block(block, [&](Index place, Index element) {
      mask |= 1U << place;
      values[place] = from.values[element];
    });
    to.columns[k] = block;
    to.masks[k] = static_cast<std::uint16_t>(mask);
  }
}

template <Index b, Element T>
void fill_rows(const Bsr<T>& from, Csr<T>& to, Index block_row) {
  const Index rows = std::min(b, from.rows - block_row * b);
  std::array<Index, b> at{};
  for (Index r = 0; r < rows; ++r) {
    at[static_cast<std::size_t>(r)] = to.offset(block_row * b + r);
  }
  const Index end = from.offset(block_row + 1);
  for (Index k = from.offset(block_row); k < end; ++k) {
    const T* const values = from.values.data() + k * b * b;
    for (unsigned mask = from.masks[k]; mask != 0; mask &= mask - 1) {
      const auto place = static_cast<Index>(std::countr_zero(mask));
      const Index to_element = at[static_cast<std::size_t>(place / b)]++;
      to.columns[to_element] = static_cast<Column>(from.columns[k] * b + place % b);
      to.values[to_element] = values[place];
    }
  }
}

/// Turns the count of each row, which stands one place beyond it, into offsets.
template <class Offset>
void add_up(Array<Offset>& offsets) {
  offsets[0] = 0;
  for (Index i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
}

}  // namespace

template <Element T>
void multiply_bsr(const MultiplyArguments<T>& arguments) {
  const auto& a = std::get<Bsr<T>>(arguments.matrix);
  const Index b = a.block();
  std::array<T, largest_bsr_block> tail{};
  const Index last_column = a.cols > 0 ? (a.cols - 1) / b : 0;
  std::copy(arguments.x.data() + last_column * b, arguments.x.data() + a.cols, tail.begin());
  const BlockKernel<T>& kernel = best_block_kernels<T>().of_size[static_cast<std::size_t>(b - 2)];
  const Index block_rows = a.block_rows();
  const Shares shares =
      shares_of_product(arguments, static_cast<Index>(bytes_of(arguments.matrix)));
  std::visit(
      [&]<class Offset>(const Array<Offset>& offsets) {
        const BlockRows<T, Offset> work{.offsets = offsets.data(),
                                        .columns = a.columns.data(),
                                        .masks = a.masks.data(),
                                        .values = a.values.data(),
                                        .rows = a.rows,
                                        .last_column = static_cast<std::int32_t>(last_column),
                                        .tail = tail.data(),
                                        .alpha = arguments.alpha,
                                        .x = arguments.x.data(),
                                        .beta = arguments.beta,
                                        .y = arguments.y.data()};
        // Each part has as many block rows and blocks together.
        const auto share_begin = [&](int part) {
          if (part == 0 || block_rows == 0) return Index{0};
          if (part == shares.parts) return block_rows;
          const Index all = block_rows + Index{offsets[block_rows]};
          return row_at(offsets.data(), block_rows, part_begin(all, part, shares.parts));
        };
        share_out(shares, [&](int part) {
          const Index begin = share_begin(part);
          const Index end = share_begin(part + 1);
          if constexpr (sizeof(Offset) == 4) {
            kernel.rows(work, begin, end);
          } else {
            kernel.rows_wide(work, begin, end);
          }
        });
      },
      a.offsets);
}

template <Element T, Format format>
Storage<T> convert_csr_to_bsr(Executor& executor, const Storage<T>& matrix) {
  constexpr Index b = bsr_block(format);
  const auto& from = std::get<Csr<T>>(matrix);
  auto to =
      Bsr<T>::sized({format, from.rows, from.cols, from.nnz, {}, {}, {}, {}}, executor.memory());
  const Shares shares =
      shares_of_work(executor, from.nnz * Index{sizeof(T) + sizeof(Column)} + from.rows);
  std::visit(
      [&]<class Offset>(Array<Offset>& offsets) {
        share_out_items(shares, to.block_rows(), 1, [&](Index begin, Index end) {
          for (Index i = begin; i < end; ++i) {
            offsets[i + 1] = static_cast<Offset>(count_blocks<b>(from, i));
          }
        });
        add_up(offsets);
      },
      to.offsets);
  const Index blocks = to.offset(to.block_rows());
  require_room(executor, blocks, b * b, sizeof(T));
  to.add_blocks(blocks, executor.memory());
  share_out_items(shares, to.block_rows(), 1, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) fill_block_row<b>(from, to, i);
  });
  return to;
}

template <Element T>
Storage<T> convert_bsr_to_csr(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Bsr<T>>(matrix);
  auto to = Csr<T>::sized(from.rows, from.cols, from.nnz, executor.memory());
  const Shares shares = shares_of_work(executor, from.slots() * Index{sizeof(T)} + from.rows);
  std::visit(
      [&]<class Offset>(Array<Offset>& offsets) {
        share_out_items(shares, from.rows, 1, [&](Index begin, Index end) {
          for (Index i = begin; i < end; ++i) {
            Index length = 0;
            from.row_lengths(i, {&length, 1});
            offsets[i + 1] = static_cast<Offset>(length);
          }
        });
        add_up(offsets);
      },
      to.offsets);
  with_block(from.format, [&]<Index b>(std::integral_constant<Index, b>) {
    share_out_items(shares, from.block_rows(), 1, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) fill_rows<b>(from, to, i);
    });
  });
  return to;
}

template void multiply_bsr(const MultiplyArguments<float>&);
template void multiply_bsr(const MultiplyArguments<double>&);
template Storage<float> convert_csr_to_bsr<float, Format::Bsr2>(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_bsr<double, Format::Bsr2>(Executor&,
                                                                  const Storage<double>&);
template Storage<float> convert_csr_to_bsr<float, Format::Bsr3>(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_bsr<double, Format::Bsr3>(Executor&,
                                                                  const Storage<double>&);
template Storage<float> convert_csr_to_bsr<float, Format::Bsr4>(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_bsr<double, Format::Bsr4>(Executor&,
                                                                  const Storage<double>&);
template Storage<float> convert_bsr_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_bsr_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::openmp
