// Whether the pattern of a CSR matrix is sound: one parallel pass over offsets and columns.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <switchyard/containers/csr_check.hpp>
#include <switchyard/containers/threads.hpp>

namespace switchyard {
namespace {

/// The faults that the threads have found.
struct SharedFaults {
  std::atomic<bool> offsets{false};
  std::atomic<bool> outside{false};
  std::atomic<bool> order{false};
};

template <class Offset>
struct Pattern {
  std::span<const Offset> offsets;
  std::span<const Column> columns;
  Column last;  ///< the largest column allowed; -1 for none
};

/// Whether the offsets from `begin` to `end`, both included, ascend within the columns.
template <class Offset>
bool are_sound(const Pattern<Offset>& pattern, std::size_t begin, std::size_t end) {
  const Offset* const at = pattern.offsets.data();
  Index descents = 0;
  for (std::size_t i = begin; i < end; ++i) descents += at[i] > at[i + 1] ? 1 : 0;
  return descents == 0 && at[begin] >= 0 && Index{at[end]} <= std::ssize(pattern.columns);
}

/// Looks at the columns of these rows. The loop over columns knows nothing of rows and has no
/// branches, so that it becomes vector instructions; where rows meet is subtracted, from columns
/// that are in a cache. A loop for each row takes four times as long on rows of five.
/// REQUIRES: `are_sound`.
template <class Offset>
void look_at(const Pattern<Offset>& pattern, std::size_t begin, std::size_t end,
             SharedFaults& faults) {
  const Column* const at = pattern.columns.data();
  const auto first = static_cast<std::size_t>(pattern.offsets[begin]);
  const auto stop = static_cast<std::size_t>(pattern.offsets[end]);
  if (first == stop) return;
  // One row of more elements than there can be columns, and more than are counted below.
  if (stop - first > UINT32_MAX) faults.order = true;
  const auto last = static_cast<std::uint32_t>(pattern.last);
  // The sign is set by a negative column, and by one above the last.
  const auto is_outside = [&](std::size_t k) {
    const auto column = static_cast<std::uint32_t>(at[k]);
    return column | (last - column);
  };
  std::uint32_t outside = is_outside(first);
  std::uint32_t descents = 0;
  for (std::size_t k = first + 1; k < stop; ++k) {
    outside |= is_outside(k);
    descents += at[k] <= at[k - 1] ? 1U : 0U;
  }
  for (std::size_t i = begin + 1; i < end; ++i) {
    const auto k = static_cast<std::size_t>(pattern.offsets[i]);
    if (k > first && k < stop && pattern.offsets[i] < pattern.offsets[i + 1]) {
      descents -= at[k] <= at[k - 1] ? 1U : 0U;
    }
  }
  if (outside >> 31 != 0) faults.outside = true;
  if (descents != 0) faults.order = true;
}

/// The end of the rows from `begin` that are looked at together: their columns stay in a cache, and
/// fewer than 2^32 descents can be among them.
template <class Offset>
std::size_t end_of_block(const Pattern<Offset>& pattern, std::size_t begin, std::size_t end) {
  constexpr std::size_t rows_at_once = 2048;
  constexpr Index columns_at_once = Index{1} << 31;
  std::size_t stop = std::min(begin + rows_at_once, end);
  while (stop > begin + 1 &&
         Index{pattern.offsets[stop]} - Index{pattern.offsets[begin]} > columns_at_once) {
    stop = begin + (stop - begin) / 2;
  }
  return stop;
}

}  // namespace

template <class Offset>
PatternFaults pattern_faults(std::span<const Offset> offsets, std::span<const Column> columns,
                             Index cols) {
  const Pattern<Offset> pattern{offsets, columns, static_cast<Column>(cols - 1)};
  SharedFaults faults;
  const Index rows = std::ssize(offsets) - 1;
  const auto bytes = static_cast<Index>(columns.size_bytes() + offsets.size_bytes());
  share_out_items(shares_of(bytes), rows, 1, [&](Index from, Index to) {
    const auto end = static_cast<std::size_t>(to);
    for (auto begin = static_cast<std::size_t>(from); begin < end;) {
      const std::size_t stop = end_of_block(pattern, begin, end);
      if (!are_sound(pattern, begin, stop)) {
        faults.offsets = true;
        return;
      }
      look_at(pattern, begin, stop, faults);
      begin = stop;
    }
  });
  return {faults.offsets, faults.outside, faults.order};
}

template PatternFaults pattern_faults(std::span<const std::int32_t>, std::span<const Column>,
                                      Index);
template PatternFaults pattern_faults(std::span<const std::int64_t>, std::span<const Column>,
                                      Index);

}  // namespace switchyard
