// The compressed sparse column format.
#pragma once

#include <switchyard/containers/csr.hpp>

namespace switchyard {

/// A matrix by columns (CSC), kept as the CSR matrix of its transpose: column j is row j there. A
/// product with the transpose of the matrix is a plain product of that one: it gathers, where one
/// with CSR would have to scatter.
template <Element T>
struct Csc {
  /// The format of this struct.
  static constexpr Format format = Format::Csc;

  Index rows = 0;    ///< number of rows
  Index cols = 0;    ///< number of columns
  Index nnz = 0;     ///< number of stored elements
  Csr<T> transpose;  ///< cols x rows

  /// An uninitialised matrix in `memory`. Throws `Error(OutOfRange)` when a size is negative or too
  /// large; there are no more than 2^31-1 rows.
  [[nodiscard]] static Csc sized(Index rows, Index cols, Index nnz,
                                 const std::shared_ptr<MemorySpace>& memory = plain_host_memory());

  /// The arrays of the matrix, for transfers and accounting.
  auto arrays() { return transpose.arrays(); }
  /// The same for a const matrix.
  auto arrays() const { return transpose.arrays(); }
  /// The same matrix without its arrays.
  [[nodiscard]] Csc header() const { return {rows, cols, nnz, transpose.header()}; }
  /// Elements kept: there is no padding.
  [[nodiscard]] Index slots() const noexcept { return nnz; }
  /// Throws `Error(InvalidArgument)` if the arrays do not fit the header. REQUIRES: in host
  /// memory.
  void check() const;

  /// Calls visit(column, value) for the stored elements begin to end, at most, of row i, columns
  /// ascending. Searches every column for the row. REQUIRES: in host memory.
  template <class Visit>
  void row(Index i, const Visit& visit, Index begin = 0, Index end = whole_row) const {
    Index at = 0;
    for (Index j = 0; j < cols && at < end; ++j) {
      const Index k = place_of(i, j);
      if (k < 0) continue;
      if (at >= begin) visit(static_cast<Column>(j), transpose.values[k]);
      ++at;
    }
  }
  /// The nonzeros of each of the rows from `first` on, as many as `lengths` has places. Looks at
  /// every element. REQUIRES: in host memory.
  void row_lengths(Index first, std::span<Index> lengths) const noexcept;
  /// Where the element in row i of column j is stored, or -1. REQUIRES: in host memory.
  [[nodiscard]] Index place_of(Index i, Index j) const noexcept;
};

/// Bytes of a CSC matrix of that shape and that many nonzeros.
[[nodiscard]] double csc_bytes(const Structure& structure, Index element_bytes);
/// Row numbers have 32 bits.
[[nodiscard]] std::string_view csc_obstacle(const Structure& structure);

/// The row of CSC. What a multiplication depends on is the same as for CSR, of the transpose.
inline constexpr FormatFacts csc_facts{.format = Format::Csc,
                                       .name = "csc",
                                       .bytes = &csc_bytes,
                                       .arrays = 3,
                                       .multiply_terms = csr_multiply_terms,
                                       .convert_terms = csr_convert_terms,
                                       .obstacle = &csc_obstacle};

}  // namespace switchyard
