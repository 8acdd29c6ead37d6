// Conversions between CSR and CSC on a device.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::opencl {

/// Program "csc_convert".
template <Element T>
[[nodiscard]] Storage<T> convert_csr_to_csc(Executor& executor, const Storage<T>& matrix);
template <Element T>
[[nodiscard]] Storage<T> convert_csc_to_csr(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::opencl
