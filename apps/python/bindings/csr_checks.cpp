// Whether CSR arrays can be borrowed as they are: one parallel pass over the columns.
#include <atomic>
#include <switchyard/containers/threads.hpp>

#include "bindings.hpp"
#include "buffer.hpp"
#include "unlocked.hpp"

namespace switchyard::python {
namespace {

/// What a pass over columns, whatever their rows, has found.
struct Found {
  std::atomic<Index> descents{0};  ///< columns that are not above the one before
  std::atomic<bool> outside{false};
};

/// Looks at columns begin to end. The loop has no branches, so that it becomes vector instructions:
/// a test of each row by itself takes four times as long on rows of five.
void look_at(std::span<const Column> columns, Column last, Index begin, Index end, Found& found) {
  constexpr Index block = Index{1} << 16;
  Index descents = 0;
  std::uint32_t outside = 0;
  for (Index first = begin; first < end; first += block) {
    const Index stop = std::min(first + block, end);
    const Column* const at = columns.data();
    std::int32_t here = 0;
    for (Index k = std::max(first, Index{1}); k < stop; ++k) here += at[k] <= at[k - 1] ? 1 : 0;
    for (Index k = first; k < stop; ++k) {
      // The sign is set by a negative column, and by one above the last.
      outside |= static_cast<std::uint32_t>(at[k]) |
                 (static_cast<std::uint32_t>(last) - static_cast<std::uint32_t>(at[k]));
    }
    descents += here;
  }
  found.descents += descents;
  if (outside >> 31 != 0) found.outside = true;
}

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::InvalidArgument, what); }

/// How many rows begin with a column that is not above the last one of the rows before.
template <class Offset>
Index descents_between_rows(std::span<const Column> columns, std::span<const Offset> offsets) {
  const auto nnz = std::ssize(columns);
  if (offsets.empty() || offsets.front() != 0 || Index{offsets.back()} != nnz) {
    refuse("indptr must begin with 0 and end with the number of elements, " + std::to_string(nnz));
  }
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    if (offsets[i] > offsets[i + 1]) refuse("indptr must not decrease");
  }
  Index descents = 0;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const auto k = static_cast<std::size_t>(offsets[i]);
    if (k > 0 && offsets[i] < offsets[i + 1]) descents += columns[k] <= columns[k - 1] ? 1 : 0;
  }
  return descents;
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
  const Index allowed =
      narrow ? descents_between_rows(columns, offset_view.elements<const std::int32_t>())
             : descents_between_rows(columns, offset_view.elements<const std::int64_t>());
  Found found;
  share_out_items(shares_of(static_cast<Index>(columns.size_bytes())), std::ssize(columns), 1,
                  [&](Index begin, Index end) {
                    look_at(columns, static_cast<Column>(cols - 1), begin, end, found);
                  });
  if (found.outside) refuse("an index is outside the shape");
  return found.descents == allowed;
}

}  // namespace

void bind_csr_checks(nb::module_& module) {
  module.def("check_compressed", &check_compressed, nb::arg("rows"), nb::arg("cols"),
             nb::arg("indices"), nb::arg("indptr"), "Whether columns ascend strictly in each row.");
}

}  // namespace switchyard::python
