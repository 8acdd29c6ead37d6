// The operations on matrices in coordinates on OpenCL devices.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::opencl {

class Device;

// See `MultiplyArguments` and `ConvertOperation`. The executor is an OpenCL device.

/// Elements sorted by row, of which the first is at `first` in `columns` and `values`.
template <Element T>
struct CooElements {
  const Offsets& rows_of;
  Index first;
  const Array<Column>& columns;
  const Array<T>& values;
};

/// Builds and allocates what `add_coo_elements` needs for elements in these rows, of type T. Throws
/// what that throws.
template <Element T>
void prepare_coo(Device& device, const Offsets& rows_of);

/// y += alpha E x, for elements E. Rows that have none are not touched. Program "coo_multiply".
/// REQUIRES: at least one element.
template <Element T>
void add_coo_elements(const MultiplyArguments<T>& arguments, const CooElements<T>& elements);

/// A work-group for each as many elements as a tile has. Program "coo_multiply".
template <Element T>
void multiply_coo(const MultiplyArguments<T>& arguments);

/// Program "coo_convert".
template <Element T>
[[nodiscard]] Storage<T> convert_csr_to_coo(Executor& executor, const Storage<T>& matrix);
/// Program "coo_convert".
template <Element T>
[[nodiscard]] Storage<T> convert_coo_to_csr(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::opencl
