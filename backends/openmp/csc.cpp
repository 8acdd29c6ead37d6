// The transpose of a CSR matrix, on the host's threads: each part of the rows counts its elements
// in each column, these counts become places, and each part puts its elements there (ScanTrans:
// Wang, Liu, Hou and Feng, "Parallel transposition of sparse data structures", ICS 2016).
#include "csc.hpp"

#include <algorithm>

#include "row_shares.hpp"
#include "team.hpp"

namespace switchyard::openmp {
namespace {

/// Parts have a count for each column: all together no more of them than elements to put in order.
int parts_of(const Shares& shares, Index cols, Index nnz) {
  const Index most = std::max<Index>(nnz / std::max<Index>(cols, 1), 1);
  return static_cast<int>(std::min<Index>(shares.parts, most));
}

/// Where the elements of each part go in each column. There is at least one column.
class Places {
 public:
  Places(Index cols, int parts) : cols_(cols), places_(cols * parts) {
    std::ranges::fill(places_.span(), Index{0});
  }
  [[nodiscard]] Index* of_part(int part) { return places_.data() + part * cols_; }

  /// From counts to places, and `offsets` of the columns.
  template <class Offset>
  void add_up(const Shares& shares, Offset* offsets) {
    const int parts = static_cast<int>(places_.size() / cols_);
    const auto block_begin = [&](int block) { return part_begin(cols_, block, shares.parts); };
    std::vector<Index> totals(static_cast<std::size_t>(shares.parts));
    share_out(shares, [&](int block) {
      Index total = 0;
      for (int part = 0; part < parts; ++part) {
        const Index* const counts = of_part(part);
        for (Index j = block_begin(block); j < block_begin(block + 1); ++j) total += counts[j];
      }
      totals[static_cast<std::size_t>(block)] = total;
    });
    Index before = 0;
    for (Index& total : totals) total = std::exchange(before, before + total);
    share_out(shares, [&](int block) {
      Index at = totals[static_cast<std::size_t>(block)];
      for (Index j = block_begin(block); j < block_begin(block + 1); ++j) {
        offsets[j] = static_cast<Offset>(at);
        for (int part = 0; part < parts; ++part) {
          Index& place = of_part(part)[j];
          at += std::exchange(place, at);
        }
      }
    });
    offsets[cols_] = static_cast<Offset>(before);
  }

 private:
  Index cols_;
  Array<Index> places_;
};

template <Element T>
Csr<T> transposed(Executor& executor, const Csr<T>& from) {
  auto to = Csr<T>::sized(from.cols, from.rows, from.nnz, executor.memory());
  if (from.nnz == 0) {
    std::visit([](auto& offsets) { std::ranges::fill(offsets.span(), 0); }, to.offsets);
    return to;
  }
  Shares shares = shares_of_work(executor, 2 * from.nnz * Index{sizeof(T) + sizeof(Column)});
  shares.parts = parts_of(shares, from.cols, from.nnz);
  Places places(from.cols, shares.parts);
  const auto of_part = [&](const auto& offsets, int part, const auto& visit) {
    const auto row = [&](int of) {
      if (of == shares.parts) return from.rows;
      return row_at(offsets.data(), from.rows, part_begin(from.rows + from.nnz, of, shares.parts));
    };
    for (Index i = row(part); i < row(part + 1); ++i) {
      for (Index k = offsets[i]; k < offsets[i + 1]; ++k) visit(i, k);
    }
  };
  std::visit(
      [&](const auto& from_offsets, auto& to_offsets) {
        share_out(shares, [&](int part) {
          Index* const counts = places.of_part(part);
          of_part(from_offsets, part, [&](Index, Index k) { ++counts[from.columns[k]]; });
        });
        places.add_up(shares, to_offsets.data());
        share_out(shares, [&](int part) {
          Index* const next = places.of_part(part);
          of_part(from_offsets, part, [&](Index i, Index k) {
            const Index at = next[from.columns[k]]++;
            to.columns[at] = static_cast<Column>(i);
            to.values[at] = from.values[k];
          });
        });
      },
      from.offsets, to.offsets);
  return to;
}

}  // namespace

template <Element T>
Storage<T> convert_csr_to_csc(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Csr<T>>(matrix);
  return Csc<T>{from.rows, from.cols, from.nnz, transposed(executor, from)};
}

template <Element T>
Storage<T> convert_csc_to_csr(Executor& executor, const Storage<T>& matrix) {
  return transposed(executor, std::get<Csc<T>>(matrix).transpose);
}

template Storage<float> convert_csr_to_csc(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_csc(Executor&, const Storage<double>&);
template Storage<float> convert_csc_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_csc_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::openmp
