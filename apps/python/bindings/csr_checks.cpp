// Whether CSR arrays can be borrowed as they are.
#include <switchyard/containers/csr_check.hpp>

#include "bindings.hpp"
#include "buffer.hpp"
#include "unlocked.hpp"

namespace switchyard::python {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::InvalidArgument, what); }

template <class Offset>
bool are_ascending(std::span<const Offset> offsets, std::span<const Column> columns, Index cols) {
  const auto nnz = std::ssize(columns);
  if (offsets.front() != 0 || Index{offsets.back()} != nnz) {
    refuse("indptr must begin with 0 and end with the number of elements, " + std::to_string(nnz));
  }
  const PatternFaults faults = pattern_faults(offsets, columns, cols);
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
  return narrow ? are_ascending(offset_view.elements<const std::int32_t>(), columns, cols)
                : are_ascending(offset_view.elements<const std::int64_t>(), columns, cols);
}

}  // namespace

void bind_csr_checks(nb::module_& module) {
  module.def("check_compressed", &check_compressed, nb::arg("rows"), nb::arg("cols"),
             nb::arg("indices"), nb::arg("indptr"), "Whether columns ascend strictly in each row.");
}

}  // namespace switchyard::python
