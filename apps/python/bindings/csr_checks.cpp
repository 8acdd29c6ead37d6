// Whether CSR arrays can be borrowed as they are: one parallel pass over the columns.
#include <algorithm>
#include <atomic>
#include <switchyard/containers/threads.hpp>

#include "bindings.hpp"
#include "buffer.hpp"
#include "unlocked.hpp"

namespace switchyard::python {
namespace {

/// What is wrong with the arrays, as far as they have been looked at.
struct Faults {
  std::atomic<bool> offsets{false};  ///< decrease, or are outside the columns
  std::atomic<bool> outside{false};  ///< a column is
  std::atomic<bool> order{false};    ///< columns do not ascend strictly in a row
};

template <class Offset>
struct Rows {
  std::span<const Column> columns;
  std::span<const Offset> offsets;
  Column last;  ///< the largest column allowed; -1 for none
};

/// Whether the offsets from `begin` to `end`, both included, ascend within the columns.
template <class Offset>
bool are_sound(const Rows<Offset>& rows, std::size_t begin, std::size_t end) {
  const Offset* const at = rows.offsets.data();
  Index descents = 0;
  for (std::size_t i = begin; i < end; ++i) descents += at[i] > at[i + 1] ? 1 : 0;
  return descents == 0 && at[begin] >= 0 && Index{at[end]} <= std::ssize(rows.columns);
}

/// Looks at the columns of these rows. The loop over columns knows nothing of rows and has no
/// branches, so that it becomes vector instructions; where rows meet is subtracted, from columns
/// that are in a cache. A loop for each row takes four times as long on rows of five.
/// REQUIRES: `are_sound`.
template <class Offset>
void look_at(const Rows<Offset>& rows, std::size_t begin, std::size_t end, Faults& faults) {
  const Column* const at = rows.columns.data();
  const auto first = static_cast<std::size_t>(rows.offsets[begin]);
  const auto stop = static_cast<std::size_t>(rows.offsets[end]);
  if (first == stop) return;
  if (stop - first > UINT32_MAX) faults.order = true;  // more than can be counted below: sorted
  const auto last = static_cast<std::uint32_t>(rows.last);
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
    const auto k = static_cast<std::size_t>(rows.offsets[i]);
    if (k > first && k < stop && rows.offsets[i] < rows.offsets[i + 1]) {
      descents -= at[k] <= at[k - 1] ? 1U : 0U;
    }
  }
  if (outside >> 31 != 0) faults.outside = true;
  if (descents != 0) faults.order = true;
}

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::InvalidArgument, what); }

template <class Offset>
void look_at_all(const Rows<Offset>& rows, Faults& faults) {
  constexpr std::size_t block = 2048;  // rows, so that their columns stay in a cache
  const Index bytes = static_cast<Index>(rows.columns.size_bytes() + rows.offsets.size_bytes());
  share_out_items(shares_of(bytes), std::ssize(rows.offsets) - 1, 1, [&](Index from, Index to) {
    const auto end = static_cast<std::size_t>(to);
    for (auto begin = static_cast<std::size_t>(from); begin < end; begin += block) {
      const std::size_t stop = std::min(begin + block, end);
      if (!are_sound(rows, begin, stop)) {
        faults.offsets = true;
        return;
      }
      look_at(rows, begin, stop, faults);
    }
  });
}

template <class Offset>
bool check_rows(const Rows<Offset>& rows) {
  const auto nnz = std::ssize(rows.columns);
  if (rows.offsets.front() != 0 || Index{rows.offsets.back()} != nnz) {
    refuse("indptr must begin with 0 and end with the number of elements, " + std::to_string(nnz));
  }
  Faults faults;
  look_at_all(rows, faults);
  if (faults.offsets) refuse("indptr must not decrease");
  if (faults.outside) refuse("an index is outside the shape");
  return !faults.order;
}

/// Whether columns ascend strictly in each row. Throws `Error(InvalidArgument)` for arrays that are
/// no matrix.
bool check_compressed(Index rows, Index cols, nb::handle indices, nb::handle indptr) {
  const Buffer column_view = viewed<Column>(indices, "indices");
  const Buffer offset_view(indptr, false);
  const bool narrow = offset_view.holds<std::int32_t>();
  if (!narrow && !offset_view.holds<std::int64_t>()) refuse("indptr is no array of integers");
  const Unlocked scope;
  const auto columns = column_view.elements<const Column>();
  if (cols > INT32_MAX) throw Error(ErrorCode::OutOfRange, "more than 2^31-1 columns");
  if (offset_view.size(0) != rows + 1) {
    refuse("indptr has " + std::to_string(offset_view.size(0)) + " elements; " +
           std::to_string(rows) + " rows need " + std::to_string(rows + 1));
  }
  const auto last = static_cast<Column>(cols - 1);
  if (narrow) {
    return check_rows(
        Rows<std::int32_t>{columns, offset_view.elements<const std::int32_t>(), last});
  }
  return check_rows(Rows<std::int64_t>{columns, offset_view.elements<const std::int64_t>(), last});
}

}  // namespace

void bind_csr_checks(nb::module_& module) {
  module.def("check_compressed", &check_compressed, nb::arg("rows"), nb::arg("cols"),
             nb::arg("indices"), nb::arg("indptr"), "Whether columns ascend strictly in each row.");
}

}  // namespace switchyard::python
