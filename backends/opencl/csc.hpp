// Conversions between CSR and CSC on a device.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::opencl {

/// Program "csc_convert".
template <Element T>
[[nodiscard]] Storage<T> convert_csr_to_csc(Executor& executor, const Storage<T>& matrix);
template <Element T>
[[nodiscard]] Storage<T> convert_csc_to_csr(Executor& executor, const Storage<T>& matrix);

/// How elements find their places in columns.
enum class Transposing { ByCounting, BySorting };

/// The transpose by one of these ways, whichever were the faster: for tests. REQUIRES: no more
/// rows than `Column` can number, and nonzeros unless by counting.
template <Element T>
[[nodiscard]] Csr<T> transposed_by(Transposing way, Executor& executor, const Csr<T>& from);

}  // namespace switchyard::opencl
