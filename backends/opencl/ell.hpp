// The operations on ELLPACK matrices on OpenCL devices.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::opencl {

// See `MultiplyArguments` and `ConvertOperation`. The executor is an OpenCL device.

/// Rows in slots: the arrays of an ELLPACK matrix, or a part of another that is like one.
template <Element T>
struct EllSlots {
  Index rows;
  Index width;
  const Array<Column>& lengths;
  const Array<Column>& columns;
  const Array<T>& values;
};

/// `multiply_ell` with the matrix in `slots`. REQUIRES: at least one row.
template <Element T>
void multiply_ell_slots(const MultiplyArguments<T>& arguments, const EllSlots<T>& slots);

/// One item for each row, or a few where rows are few. Program "ell_multiply".
template <Element T>
void multiply_ell(const MultiplyArguments<T>& arguments);

/// Waits once, for the longest row. Throws `Error(DeviceOutOfMemory)` before anything large is
/// allocated where the padding is beyond the memory. Program "ell_convert".
template <Element T>
[[nodiscard]] Storage<T> convert_csr_to_ell(Executor& executor, const Storage<T>& matrix);
/// Program "ell_convert".
template <Element T>
[[nodiscard]] Storage<T> convert_ell_to_csr(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::opencl
