// Vector operations for the work between calls. They run where the vectors are.
#pragma once

#include <switchyard/containers/vector.hpp>
#include <type_traits>

namespace switchyard {

class Runtime;

// Each operation runs where its operands are. If they are in different spaces, it runs where the
// last multiplication ran, so that vectors follow the matrix. Before any multiplication it runs on
// a device that alone holds one of them. If that device fails or has been set aside, the operation
// runs on the host. On a device, only operations that return a number wait. Nothing is allocated
// once the vectors have their copies.
//
// All throw `Error(DimensionMismatch)` if sizes differ, and the operands are then unchanged. They
// throw `Error(DeviceLost)` or similar if a failed device held the only copy of an operand. One
// vector may be passed as several operands.
//
// Threads: any number of calls at once, as long as no other thread uses a vector that is written.

/// The dot product x . y, accumulated in double where the device has it. On a device the order of
/// additions is always the same. On the host it does not depend on the number of threads.
template <Element T>
[[nodiscard]] T dot(const Runtime& runtime, const Vector<T>& x, const Vector<T>& y);

/// The sum of all x_i, accumulated as in `dot`.
template <Element T>
[[nodiscard]] T sum(const Runtime& runtime, const Vector<T>& x);

/// The Euclidean norm, sqrt(x . x). Infinite if x . x overflows double.
template <Element T>
[[nodiscard]] T norm(const Runtime& runtime, const Vector<T>& x);

/// y = a x + b y. With b == 0, y is not read.
template <Element T>
void axpby(const Runtime& runtime, std::type_identity_t<T> a, const Vector<T>& x,
           std::type_identity_t<T> b, Vector<T>& y);

/// y = x. On a device the data does not pass through the host.
template <Element T>
void copy(const Runtime& runtime, const Vector<T>& x, Vector<T>& y) {
  axpby(runtime, T{1}, x, T{0}, y);
}

/// x = a x.
template <Element T>
void scale(const Runtime& runtime, std::type_identity_t<T> a, Vector<T>& x);

/// x_i = value.
template <Element T>
void fill(const Runtime& runtime, std::type_identity_t<T> value, Vector<T>& x);

/// x_i = x_i + value.
template <Element T>
void add_scalar(const Runtime& runtime, std::type_identity_t<T> value, Vector<T>& x);

/// x_i = max(x_i, 0). NaN stays NaN.
template <Element T>
void relu(const Runtime& runtime, Vector<T>& x);

/// z_i = x_i y_i.
template <Element T>
void multiply_elements(const Runtime& runtime, const Vector<T>& x, const Vector<T>& y,
                       Vector<T>& z);

}  // namespace switchyard
