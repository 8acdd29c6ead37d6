// Entries in any order to CSR: grouped by stretches of rows first, then sorted stretch by stretch.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <switchyard/containers/csr.hpp>
#include <vector>

namespace switchyard {

/// How rows are cut into stretches ("buckets") of equal, power-of-two height. A bucket's part of
/// the result is small enough to stay in a core's cache while entries are scattered into it, and
/// 1024 buckets are enough to share among threads and few enough to count per group.
class RowBuckets {
 public:
  /// REQUIRES: 0 <= rows <= largest_rows.
  explicit RowBuckets(Index rows);

  /// A row within its bucket is kept in 32 bits, which 2^10 buckets allow for up to 2^42 rows.
  static constexpr Index largest_rows = Index{1} << 42;

  [[nodiscard]] Index count() const noexcept { return ((rows_ - 1) >> shift_) + 1; }
  [[nodiscard]] Index of(Index row) const noexcept { return row >> shift_; }
  [[nodiscard]] std::uint32_t within(Index row) const noexcept {
    return static_cast<std::uint32_t>(row - (of(row) << shift_));
  }
  [[nodiscard]] Index first_row(Index bucket) const noexcept { return bucket << shift_; }
  [[nodiscard]] Index height(Index bucket) const noexcept {
    return std::min(rows_ - first_row(bucket), Index{1} << shift_);
  }

 private:
  Index rows_;
  int shift_ = 0;
};

/// Some thousands of entries, in order of their buckets, else in the order they came in.
template <Element T>
struct EntryGroup {
  std::vector<std::uint32_t> starts;  ///< of each bucket, and the end
  std::unique_ptr<std::uint32_t[]> rows;
  std::unique_ptr<Column[]> columns;
  std::unique_ptr<T[]> values;

  [[nodiscard]] Index size() const noexcept { return starts.empty() ? 0 : starts.back(); }
};

/// REQUIRES: fewer than 2^32 entries, all within the shape.
template <Element T>
[[nodiscard]] EntryGroup<T> group_entries(std::span<const Triplet<T>> entries,
                                          const RowBuckets& buckets);

/// The matrix of all entries. Those of one position are added in double, in the order of the
/// groups and within them, and rounded once. The groups are released on the way.
/// Throws `Error(OutOfRange)` and `Error(OutOfMemory)`. Runs in parallel; the result does not
/// depend on the number of threads.
template <Element T>
[[nodiscard]] Csr<T> assemble_csr(Index rows, Index cols, const RowBuckets& buckets,
                                  std::deque<EntryGroup<T>>&& groups);

}  // namespace switchyard
