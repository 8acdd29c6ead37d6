// CSR matrices from a caller's arrays, of either width and counted from 0 or 1.
#pragma once

#include <switchyard.h>

#include <switchyard/containers/csr.hpp>

namespace switchyard::c {

/// The matrix, its arrays in place or copied as `memory` (one of `sy_memory`) says. Throws what
/// `check_elements` throws, `Error(InvalidArgument)` and `Error(OutOfRange)` for other arguments
/// that fit nothing, and `Error(Unsupported)` where a copy is not allowed but necessary.
template <Element T>
[[nodiscard]] Csr<T> csr_of(const sy_csr* pattern, const T* values, int memory);

}  // namespace switchyard::c
