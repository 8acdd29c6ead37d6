// The operations on vectors on OpenCL devices, for the table of all of them.
#pragma once

#include <switchyard/backends/vector_operations.hpp>

namespace switchyard::opencl {

// See `ElementwiseOperation` and `ReduceOperation`. The executor is an OpenCL device; all kernels
// are in the program "vector_operations".

template <Element T>
void axpby(Executor& executor, const ElementwiseOperands<T>& operands);
template <Element T>
void scale(Executor& executor, const ElementwiseOperands<T>& operands);
template <Element T>
void fill(Executor& executor, const ElementwiseOperands<T>& operands);
template <Element T>
void add(Executor& executor, const ElementwiseOperands<T>& operands);
template <Element T>
void relu(Executor& executor, const ElementwiseOperands<T>& operands);
template <Element T>
void multiply_elements(Executor& executor, const ElementwiseOperands<T>& operands);

template <Element T>
[[nodiscard]] double dot(Executor& executor, const Array<T>& x, const Array<T>* y);
template <Element T>
[[nodiscard]] double sum(Executor& executor, const Array<T>& x, const Array<T>* y);

}  // namespace switchyard::opencl
