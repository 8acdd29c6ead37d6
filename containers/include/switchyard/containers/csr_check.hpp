// Checks CSR arrays that come from outside.
#pragma once

#include <switchyard/containers/csr.hpp>

namespace switchyard {

/// Reads all offsets and columns, for arrays that nobody has checked yet (`Array::borrow`). Throws
/// what `csr_from_arrays` throws, and what `Csr::check` throws. REQUIRES: in host memory.
template <Element T>
void check_elements(const Csr<T>& matrix);

}  // namespace switchyard
