// The transpose of a CSR matrix, on the host's threads: each part of the elements counts how many
// it has in each column, the counts become places, and each part puts its elements there
// (ScanTrans: Wang, Liu, Hou and Feng, "Parallel transposition of sparse data structures", ICS
// 2016). Elements of many columns are put into buckets of neighbouring columns before, by the same
// means, so that what is counted and written at a time stays in a core's cache.
#include "csc.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <utility>

#include "team.hpp"

namespace switchyard::openmp {
namespace {

/// An element on its way from its row to its column.
template <Element T>
struct Moved {
  Column column;
  Column row;
  T value;
};

/// The elements of a CSR matrix.
template <class Offset, Element T>
struct InRows {
  const Csr<T>& matrix;
  const Offset* offsets;

  /// Calls `take` with each element from the `begin`-th to before the `end`-th.
  template <class Take>
  void visit(Index begin, Index end, const Take& take) const {
    const Column* const columns = matrix.columns.data();
    const T* const values = matrix.values.data();
    const auto starts_later = [](Index k, Offset start) { return k < start; };
    Index row = std::upper_bound(offsets, offsets + matrix.rows, begin, starts_later) - offsets - 1;
    for (Index k = begin; k < end; ++row) {
      for (const Index row_end = std::min<Index>(offsets[row + 1], end); k < row_end; ++k) {
        take(Moved<T>{columns[k], static_cast<Column>(row), values[k]});
      }
    }
  }
};

/// Elements that have been put into buckets.
template <Element T>
struct InBuckets {
  const Moved<T>* elements;

  template <class Take>
  void visit(Index begin, Index end, const Take& take) const {
    for (Index k = begin; k < end; ++k) take(elements[k]);
  }
};

/// Neighbouring elements, and the columns that they lie in, 2^shift of which go to the same place.
struct Stretch {
  Index begin;
  Index end;
  Index first_column;
  Index places;
  int shift;
};

/// From how many each part has for each place to where they begin: those of a place part after
/// part. Calls `start(place, at)` for each place, whose first is at `begin`. `totals` has room for
/// a number for each part.
template <class Start>
void add_up(const Shares& shares, Index begin, Index places, Index* counts, Index* totals,
            const Start& start) {
  const auto block_begin = [&](int block) { return part_begin(places, block, shares.parts); };
  const auto counts_of = [=](int part) { return counts + part * places; };
  share_out(shares, [&](int block) {
    Index total = 0;
    for (int part = 0; part < shares.parts; ++part) {
      const Index* const own = counts_of(part);
      total = std::accumulate(own + block_begin(block), own + block_begin(block + 1), total);
    }
    totals[block] = total;
  });
  std::exclusive_scan(totals, totals + shares.parts, totals, begin);
  share_out(shares, [&](int block) {
    Index at = totals[block];
    for (Index place = block_begin(block); place < block_begin(block + 1); ++place) {
      start(place, at);
      for (int part = 0; part < shares.parts; ++part) {
        Index& count = counts_of(part)[place];
        at += std::exchange(count, at);
      }
    }
  });
}

/// Puts elements in the order of their places, those of a place in the order that they have. Calls
/// `start(place, at)` for each place, and `put(at, element)` for each element. `counts` has
/// `numbers_needed`.
template <class Elements, class Start, class Put>
void put_in_order(const Shares& shares, const Elements& elements, const Stretch& of, Index* counts,
                  const Start& start, const Put& put) {
  const auto visit_part = [&](int part, const auto& take) {
    Index* const mine = counts + part * of.places;
    const Index size = of.end - of.begin;
    const auto take_with_count = [=, first = of.first_column,
                                  shift = of.shift](const auto& element) {
      take(mine[(element.column - first) >> shift], element);
    };
    elements.visit(of.begin + part_begin(size, part, shares.parts),
                   of.begin + part_begin(size, part + 1, shares.parts), take_with_count);
  };
  share_out(shares, [&](int part) {
    std::fill_n(counts + part * of.places, of.places, Index{0});
    visit_part(part, [](Index& count, const auto&) { ++count; });
  });
  add_up(shares, of.begin, of.places, counts, counts + shares.parts * of.places, start);
  share_out(shares, [&](int part) {
    visit_part(part, [&](Index& next, const auto& element) { put(next++, element); });
  });
}

/// A number for each part and place, and for each part.
Index numbers_needed(const Shares& shares, Index places) { return shares.parts * (places + 1); }

/// One part for each thread, but no more counts, of which a part has one for each place, than
/// elements to put in order.
Shares with_few_counts(Shares shares, Index places, Index elements) {
  const Index most = std::max<Index>(elements / std::max<Index>(places, 1), 1);
  shares.parts = static_cast<int>(std::min<Index>({shares.parts, shares.threads, most}));
  return shares;
}

/// The logarithm of how many neighbouring columns share a bucket; 0 where buckets save nothing.
int bucket_shift(Index cols, Index nnz, int threads) {
  // The lines that are written at a time, two for each column, and the counts stay in a core's
  // cache.
  constexpr Index columns_in_cache = 8192;
  // So many lines of 64 bytes stay in the nearest cache, and so many elements in the next.
  constexpr Index most_buckets = 512;
  constexpr Index elements_each = 16384;
  constexpr Index least_elements_each = 2048;
  const Index for_threads = std::min(Index{4} * threads, nnz / least_elements_each);
  const Index buckets = std::min(std::max(nnz / elements_each, for_threads), most_buckets);
  if (buckets <= 1 || cols <= columns_in_cache) return 0;
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>((cols - 1) / buckets)));
}

template <class Offset, class ToOffset, Element T>
class Transposition {
 public:
  Transposition(Executor& executor, const Csr<T>& from, const Array<Offset>& offsets, Csr<T>& to,
                Array<ToOffset>& to_offsets)
      : memory_(executor.memory()),
        shares_(shares_of_work(executor, 2 * from.nnz * Index{sizeof(T) + sizeof(Column)})),
        nnz_(from.nnz),
        rows_{from, offsets.data()},
        to_(to),
        to_offsets_(to_offsets.data()) {}

  void run() {
    const int shift = bucket_shift(to_.rows, nnz_, shares_.threads);
    const auto needed = static_cast<std::size_t>(nnz_) * sizeof(Moved<T>);
    if (shift > 0 && needed < memory_->available()) return run_in_buckets(shift);
    const Shares shares = with_few_counts(shares_, to_.rows, nnz_);
    Array<Index> counts(numbers_needed(shares, to_.rows));
    put_in_columns(shares, rows_, {0, nnz_, 0, to_.rows, 0}, counts.data());
  }

 private:
  template <class Elements>
  void put_in_columns(const Shares& shares, const Elements& elements, const Stretch& of,
                      Index* counts) {
    ToOffset* const offsets = to_offsets_ + of.first_column;
    Column* const columns = to_.columns.data();
    T* const values = to_.values.data();
    put_in_order(
        shares, elements, of, counts,
        [=](Index place, Index at) { offsets[place] = static_cast<ToOffset>(at); },
        [=](Index at, const Moved<T>& element) {
          columns[at] = element.row;
          values[at] = element.value;
        });
  }

  void run_in_buckets(int shift) {
    const Index buckets = ((to_.rows - 1) >> shift) + 1;
    const Index width = Index{1} << shift;
    Array<Moved<T>> moved(nnz_, memory_);
    Array<Index> starts(buckets + 1);
    Array<Index> bucket_counts(numbers_needed(shares_, buckets));
    put_in_order(
        shares_, rows_, {0, nnz_, 0, buckets, shift}, bucket_counts.data(),
        [&](Index bucket, Index at) { starts[bucket] = at; },
        [to = moved.data()](Index at, const Moved<T>& element) { to[at] = element; });
    starts[buckets] = nnz_;

    const Shares shares = with_few_counts(shares_, width, nnz_);
    Array<Index> counts(numbers_needed(shares, width));
    const auto stretch_of = [&](Index bucket) {
      const Index first = bucket << shift;
      return Stretch{starts[bucket], starts[bucket + 1], first, std::min(width, to_.rows - first),
                     0};
    };
    // One that would keep a thread busy for longer than its part of all is shared.
    const auto is_large = [&](Index bucket) {
      return (starts[bucket + 1] - starts[bucket]) * shares.parts > nnz_;
    };
    const InBuckets<T> elements{moved.data()};
    for (Index bucket = 0; bucket < buckets; ++bucket) {
      if (is_large(bucket)) put_in_columns(shares, elements, stretch_of(bucket), counts.data());
    }
    std::atomic<Index> next{0};
    share_out(shares, [&](int part) {
      for (Index bucket = next++; bucket < buckets; bucket = next++) {
        if (is_large(bucket)) continue;
        put_in_columns(Shares{}, elements, stretch_of(bucket), counts.data() + part * (width + 1));
      }
    });
  }

  std::shared_ptr<MemorySpace> memory_;
  Shares shares_;
  Index nnz_;
  InRows<Offset, T> rows_;
  Csr<T>& to_;
  ToOffset* to_offsets_;
};

template <Element T>
Csr<T> transposed(Executor& executor, const Csr<T>& from) {
  auto to = Csr<T>::sized(from.cols, from.rows, from.nnz, executor.memory());
  if (from.nnz == 0) {
    std::visit([](auto& offsets) { std::ranges::fill(offsets.span(), 0); }, to.offsets);
    return to;
  }
  std::visit(
      [&](const auto& offsets, auto& to_offsets) {
        Transposition(executor, from, offsets, to, to_offsets).run();
        to_offsets[to.rows] = static_cast<std::remove_reference_t<decltype(to_offsets[0])>>(to.nnz);
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
