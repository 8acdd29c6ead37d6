// The dense format: every element, row by row.
#pragma once

#include <switchyard/containers/array.hpp>
#include <switchyard/containers/structure.hpp>
#include <tuple>

namespace switchyard {

/// A `rows` x `cols` matrix in row-major order; element (i, j) is `values[i * cols + j]`.
template <Element T>
struct Dense {
  /// The value of `Format` that stands for this struct.
  static constexpr Format format = Format::Dense;

  Index rows = 0;   ///< number of rows
  Index cols = 0;   ///< number of columns
  Array<T> values;  ///< rows * cols elements

  /// An uninitialised matrix in `memory`. Throws `Error(OutOfRange)` when rows * cols * sizeof(T)
  /// overflows or a size is negative.
  [[nodiscard]] static Dense sized(
      Index rows, Index cols, const std::shared_ptr<MemorySpace>& memory = plain_host_memory()) {
    return {rows, cols, Array<T>(checked_product(rows, cols), memory)};
  }

  /// The arrays that make up the matrix, for whoever moves or counts them.
  auto arrays() { return std::tie(values); }
  /// The same of a matrix that must not change.
  auto arrays() const { return std::tie(values); }
};

}  // namespace switchyard
