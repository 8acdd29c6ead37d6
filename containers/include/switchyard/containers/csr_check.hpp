// Checks CSR arrays that come from outside.
#pragma once

#include <switchyard/containers/csr.hpp>

namespace switchyard {

/// What is wrong with the pattern of a CSR matrix, as far as it was looked at.
struct PatternFaults {
  bool offsets = false;  ///< they decrease, or leave the columns
  bool outside = false;  ///< a column is outside the matrix
  bool order = false;    ///< columns do not ascend strictly in a row
  /// Whether anything is wrong.
  [[nodiscard]] bool any() const noexcept { return offsets || outside || order; }
};

/// Reads all offsets and columns, in parallel and at about the bandwidth of memory. Does not say
/// where a fault is. Where `offsets` is set, columns may not have been looked at.
/// REQUIRES: in host memory, at least one offset, at most 2^31-1 columns of the matrix.
template <class Offset>
[[nodiscard]] PatternFaults pattern_faults(std::span<const Offset> offsets,
                                           std::span<const Column> columns, Index cols);

/// Reads all offsets and columns, for arrays that nobody has checked yet (`Array::borrow`). Throws
/// what `csr_from_arrays` throws, and what `Csr::check` throws. REQUIRES: in host memory.
template <Element T>
void check_elements(const Csr<T>& matrix);

}  // namespace switchyard
