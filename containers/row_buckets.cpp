// Entries in any order to CSR, by a counting sort in two steps.
#include "row_buckets.hpp"

#include <algorithm>
#include <numeric>
#include <switchyard/containers/threads.hpp>

#include "first_error.hpp"

namespace switchyard {
namespace {

constexpr Index most_buckets = 1024;
constexpr Index worth_threads = 1 << 14;  // entries from which starting threads pays

/// What a thread keeps from bucket to bucket.
struct Scratch {
  std::vector<Index> ends;  // of each row of the bucket, in the result
  std::vector<std::uint64_t> keys;
  std::vector<double> values;
};

/// The elements of one row.
template <Element T>
struct Row {
  Column* columns;
  T* values;
  Index size;
};

template <Element T>
bool ascends_strictly(const Row<T>& row) {
  return std::adjacent_find(row.columns, row.columns + row.size, std::greater_equal<>{}) ==
         row.columns + row.size;
}

/// Sorts by column, equal columns in the order they stand in: the place is part of the key.
template <Element T>
void sort_row(const Row<T>& row, Scratch& scratch) {
  if (row.size > Index{1} << 32) {
    throw Error(ErrorCode::OutOfRange, "a row is given more than 2^32 elements");
  }
  scratch.keys.clear();
  for (Index k = 0; k < row.size; ++k) {
    scratch.keys.push_back(static_cast<std::uint64_t>(row.columns[k]) << 32 |
                           static_cast<std::uint64_t>(k));
  }
  std::sort(scratch.keys.begin(), scratch.keys.end());
  scratch.values.assign(row.values, row.values + row.size);
  for (Index k = 0; k < row.size; ++k) {
    const std::uint64_t key = scratch.keys[static_cast<std::size_t>(k)];
    row.columns[k] = static_cast<Column>(key >> 32);
    row.values[k] = static_cast<T>(scratch.values[key & 0xffffffffu]);
  }
}

/// Adds up equal columns of a sorted row and writes it to `to`, which may be the row itself or
/// before it. Returns the elements left.
template <Element T>
Index merge_row(const Row<T>& row, const Row<T>& to) {
  Index kept = 0;
  for (Index k = 0; k < row.size;) {
    const Column column = row.columns[k];
    double sum = static_cast<double>(row.values[k]);
    for (++k; k < row.size && row.columns[k] == column; ++k) {
      sum += static_cast<double>(row.values[k]);
    }
    to.columns[kept] = column;
    to.values[kept] = static_cast<T>(sum);
    ++kept;
  }
  return kept;
}

/// One result in the making: buckets are filled independently of each other.
template <Element T>
class Assembly {
 public:
  Assembly(Index rows, Index cols, const RowBuckets& buckets,
           const std::deque<EntryGroup<T>>& groups)
      : buckets_(buckets), groups_(groups) {
    const auto count = static_cast<std::size_t>(buckets.count());
    begins_.assign(count + 1, 0);
    for (const auto& group : groups) {
      if (group.size() == 0) continue;
      for (std::size_t b = 0; b < count; ++b)
        begins_[b + 1] += group.starts[b + 1] - group.starts[b];
    }
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    kept_.assign(count + 1, 0);
    matrix_ = Csr<T>::sized(rows, cols, begins_.back());
    set_offset(matrix_, 0, 0);
  }

  [[nodiscard]] Index entries() const { return begins_.back(); }

  /// Fills the rows of one bucket, sorted and merged, from its beginning in the result.
  void fill(Index bucket, Scratch& scratch) {
    count_rows(bucket, scratch);
    scatter(bucket, scratch);
    const Index begin = begins_[static_cast<std::size_t>(bucket)];
    const Index first_row = buckets_.first_row(bucket);
    Index row_begin = begin;
    Index kept_end = begin;
    for (Index i = 0; i < buckets_.height(bucket); ++i) {
      const Index row_end = scratch.ends[static_cast<std::size_t>(i)];
      kept_end += finish_row(row_at(row_begin, row_end - row_begin), row_at(kept_end, 0), scratch);
      row_begin = row_end;
      set_offset(matrix_, first_row + i + 1, kept_end);
    }
    kept_[static_cast<std::size_t>(bucket) + 1] = kept_end - begin;
  }

  /// The matrix, without the gaps that merging has left behind.
  Csr<T> finish() {
    std::partial_sum(kept_.begin(), kept_.end(), kept_.begin());
    if (kept_.back() == begins_.back()) return std::move(matrix_);
    auto compact = Csr<T>::sized(matrix_.rows, matrix_.cols, kept_.back());
    set_offset(compact, 0, 0);
    const Index count = buckets_.count();
    share_out_steps(count, entries() > worth_threads, [&](Index b) { close_gap(b, compact); });
    return compact;
  }

 private:
  static void set_offset(Csr<T>& matrix, Index i, Index offset) {
    std::visit(
        [&](auto& offsets) {
          offsets[i] = static_cast<std::remove_reference_t<decltype(offsets[i])>>(offset);
        },
        matrix.offsets);
  }

  Row<T> row_at(Index begin, Index size) {
    return {matrix_.columns.data() + begin, matrix_.values.data() + begin, size};
  }

  /// Leaves in `ends` where each row of the bucket begins.
  void count_rows(Index bucket, Scratch& scratch) const {
    const auto b = static_cast<std::size_t>(bucket);
    scratch.ends.assign(static_cast<std::size_t>(buckets_.height(bucket)), 0);
    for (const auto& group : groups_) {
      if (group.size() == 0) continue;
      for (auto k = group.starts[b]; k < group.starts[b + 1]; ++k) ++scratch.ends[group.rows[k]];
    }
    std::exclusive_scan(scratch.ends.begin(), scratch.ends.end(), scratch.ends.begin(), begins_[b]);
  }

  /// Puts each entry at its row's end so far.
  void scatter(Index bucket, Scratch& scratch) {
    const auto b = static_cast<std::size_t>(bucket);
    Column* const columns = matrix_.columns.data();
    T* const values = matrix_.values.data();
    for (const auto& group : groups_) {
      if (group.size() == 0) continue;
      for (auto k = group.starts[b]; k < group.starts[b + 1]; ++k) {
        const Index place = scratch.ends[group.rows[k]]++;
        columns[place] = group.columns[k];
        values[place] = group.values[k];
      }
    }
  }

  /// Sorts and merges one row into `to`. Most files are in order already, and then nothing moves.
  static Index finish_row(const Row<T>& row, const Row<T>& to, Scratch& scratch) {
    if (!ascends_strictly(row)) {
      sort_row(row, scratch);
    } else if (row.columns == to.columns) {
      return row.size;
    }
    return merge_row(row, to);
  }

  void close_gap(Index bucket, Csr<T>& compact) const {
    const auto b = static_cast<std::size_t>(bucket);
    const Index from = begins_[b];
    const Index to = kept_[b];
    const Index size = kept_[b + 1] - to;
    std::copy_n(matrix_.columns.data() + from, size, compact.columns.data() + to);
    std::copy_n(matrix_.values.data() + from, size, compact.values.data() + to);
    const Index first_row = buckets_.first_row(bucket);
    for (Index i = first_row; i < first_row + buckets_.height(bucket); ++i) {
      set_offset(compact, i + 1, matrix_.offset(i + 1) - from + to);
    }
  }

  const RowBuckets& buckets_;
  const std::deque<EntryGroup<T>>& groups_;
  std::vector<Index> begins_;  // of each bucket in the result before merging
  std::vector<Index> kept_;    // elements left in each bucket; in `finish`, their running sum
  Csr<T> matrix_;
};

}  // namespace

RowBuckets::RowBuckets(Index rows) : rows_(rows) {
  while (count() > most_buckets) ++shift_;
}

template <Element T>
EntryGroup<T> group_entries(std::span<const Triplet<T>> entries, const RowBuckets& buckets) {
  EntryGroup<T> group;
  if (entries.empty()) return group;
  group.starts.assign(static_cast<std::size_t>(buckets.count()) + 1, 0);
  group.rows = std::make_unique_for_overwrite<std::uint32_t[]>(entries.size());
  group.columns = std::make_unique_for_overwrite<Column[]>(entries.size());
  group.values = std::make_unique_for_overwrite<T[]>(entries.size());
  for (const auto& entry : entries) ++group.starts[static_cast<std::size_t>(buckets.of(entry.row))];
  std::exclusive_scan(group.starts.begin(), group.starts.end(), group.starts.begin(),
                      std::uint32_t{0});
  for (const auto& entry : entries) {
    const auto place = group.starts[static_cast<std::size_t>(buckets.of(entry.row))]++;
    group.rows[place] = buckets.within(entry.row);
    group.columns[place] = static_cast<Column>(entry.col);
    group.values[place] = entry.value;
  }
  // Each start has moved on to the next one's place.
  std::shift_right(group.starts.begin(), group.starts.end(), 1);
  group.starts.front() = 0;
  return group;
}

template <Element T>
Csr<T> assemble_csr(Index rows, Index cols, const RowBuckets& buckets,
                    std::deque<EntryGroup<T>>&& groups) {
  Assembly<T> assembly(rows, cols, buckets, groups);
  FirstError error;
  const Index count = buckets.count();
  std::atomic<Index> next{0};
  share_out(all_threads(assembly.entries() > worth_threads), [&](int) {
    Scratch scratch;
    for (Index b = next++; b < count; b = next++) {
      if (!error.any()) error.run(b, [&] { assembly.fill(b, scratch); });
    }
  });
  error.rethrow();
  groups.clear();
  return assembly.finish();
}

template EntryGroup<float> group_entries(std::span<const Triplet<float>>, const RowBuckets&);
template EntryGroup<double> group_entries(std::span<const Triplet<double>>, const RowBuckets&);
template Csr<float> assemble_csr(Index, Index, const RowBuckets&, std::deque<EntryGroup<float>>&&);
template Csr<double> assemble_csr(Index, Index, const RowBuckets&,
                                  std::deque<EntryGroup<double>>&&);

}  // namespace switchyard
