// The compressed sparse row format.
#pragma once

#include <limits>
#include <switchyard/containers/array.hpp>
#include <switchyard/containers/structure.hpp>
#include <tuple>
#include <variant>

namespace switchyard {

/// The row offsets of a CSR matrix: rows + 1 numbers, stored in 32 bits wherever the last one fits
/// (on rows of five nonzeros the difference is a tenth of the bytes), in 64 bits otherwise.
using Offsets = std::variant<Array<std::int32_t>, Array<std::int64_t>>;

/// Whether offsets up to `nnz` are stored in 32 bits.
[[nodiscard]] constexpr bool offsets_are_narrow(Index nnz) noexcept {
  return nnz <= std::numeric_limits<std::int32_t>::max();
}

/// A `rows` x `cols` matrix of `nnz` stored elements. Row i holds columns[k] and values[k] for
/// k in [offsets[i], offsets[i + 1]); columns ascend strictly within a row.
template <Element T>
struct Csr {
  /// The value of `Format` that stands for this struct.
  static constexpr Format format = Format::Csr;

  Index rows = 0;         ///< number of rows
  Index cols = 0;         ///< number of columns
  Index nnz = 0;          ///< number of stored elements
  Offsets offsets;        ///< rows + 1; where each row begins in the other two
  Array<Column> columns;  ///< nnz; of each stored element
  Array<T> values;        ///< nnz; the stored elements, row by row

  /// An uninitialised matrix in `memory`, its offsets as wide as `nnz` needs. Throws
  /// `Error(OutOfRange)` when a size is negative or too large.
  [[nodiscard]] static Csr sized(Index rows, Index cols, Index nnz,
                                 const std::shared_ptr<MemorySpace>& memory = plain_host_memory());

  /// Offset i. REQUIRES: in host memory, 0 <= i <= rows.
  [[nodiscard]] Index offset(Index i) const {
    return std::visit([i](const auto& array) { return Index{array[i]}; }, offsets);
  }

  /// The arrays that make up the matrix, for whoever moves or counts them.
  auto arrays() { return std::tie(offsets, columns, values); }
  /// The same of a matrix that must not change.
  auto arrays() const { return std::tie(offsets, columns, values); }
};

/// One stored element in coordinate form.
template <Element T>
struct Triplet {
  Index row = 0;  ///< from 0
  Index col = 0;  ///< from 0
  T value{};      ///< of the element
};

/// A CSR matrix from triplets in any order; duplicates are summed. Throws `Error(OutOfRange)` for
/// an index outside the shape or a shape whose columns do not fit in 32 bits.
template <Element T>
[[nodiscard]] Csr<T> csr_from_triplets(Index rows, Index cols,
                                       std::span<const Triplet<T>> triplets);

/// Takes over a caller's CSR arrays: `offsets` of rows + 1, `columns` and `values` of equal size.
/// Throws `Error(InvalidArgument)` where offsets do not ascend from 0 to the number of values or
/// columns do not ascend strictly within a row, `Error(OutOfRange)` where a column is outside.
template <Element T>
[[nodiscard]] Csr<T> csr_from_arrays(Index rows, Index cols, std::span<const Index> offsets,
                                     std::vector<Column> columns, std::vector<T> values);

}  // namespace switchyard
