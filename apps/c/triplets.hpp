// CSR matrices from a caller's elements in coordinates.
#pragma once

#include <switchyard.h>

#include <switchyard/containers/csr.hpp>

namespace switchyard::c {

/// The matrix, elements at the same place added. Throws what `csr_from_triplets` throws,
/// `Error(InvalidArgument)` and `Error(OutOfRange)` for arguments that fit nothing.
template <Element T>
[[nodiscard]] Csr<T> csr_of_triplets(const sy_triplets* places, const T* values);

}  // namespace switchyard::c
