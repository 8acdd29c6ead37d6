// Dense matrices from a caller's array.
#pragma once

#include <switchyard/containers/dense.hpp>

#include "arguments.hpp"

namespace switchyard::c {

/// The matrix, its elements in place or copied as `memory` (one of `sy_memory`) says. Throws
/// `Error(InvalidArgument)` and `Error(OutOfRange)` for arguments that fit nothing.
template <Element T>
[[nodiscard]] Dense<T> dense_of(Index rows, Index cols, const T* values, int memory) {
  check_memory(memory);
  const auto elements = required_array(values, checked_product(rows, cols), "values");
  return {rows, cols, kept(elements, memory)};
}

}  // namespace switchyard::c
