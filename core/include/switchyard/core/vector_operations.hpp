// What programs do with vectors between products, wherever the vectors are.
#pragma once

#include <switchyard/containers/vector.hpp>
#include <type_traits>

namespace switchyard {

class Runtime;

// Each operation runs where its operands are; where they are in different spaces, where the last
// product ran, so that vectors follow the matrix; before any product, on a device that alone holds
// one of them. Where that device fails or has been set aside, the operation is done on the host. On
// a device, only what returns a number waits. Nothing is allocated once the vectors have their
// copies.
//
// All throw `Error(DimensionMismatch)` where sizes differ, the operands being as before; and
// `Error(DeviceLost)` or the like where a failed device held the only copy of an operand. A vector
// may be given as several operands of one call.
//
// Threads: any number at once, as long as nobody else uses a vector that is written.

/// x . y, added in double where the device has it, always in the same order there; on the host the
/// order does not depend on the number of threads.
template <Element T>
[[nodiscard]] T dot(const Runtime& runtime, const Vector<T>& x, const Vector<T>& y);

/// The sum of x_i, added like `dot`.
template <Element T>
[[nodiscard]] T sum(const Runtime& runtime, const Vector<T>& x);

/// The Euclidean norm, sqrt(x . x). Infinite where x . x overflows double.
template <Element T>
[[nodiscard]] T norm(const Runtime& runtime, const Vector<T>& x);

/// y = a x + b y; with b == 0, y is not read.
template <Element T>
void axpby(const Runtime& runtime, std::type_identity_t<T> a, const Vector<T>& x,
           std::type_identity_t<T> b, Vector<T>& y);

/// y = x, without a way over the host.
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

/// x_i = max(x_i, 0); NaN stays NaN.
template <Element T>
void relu(const Runtime& runtime, Vector<T>& x);

/// z_i = x_i y_i.
template <Element T>
void multiply_elements(const Runtime& runtime, const Vector<T>& x, const Vector<T>& y,
                       Vector<T>& z);

}  // namespace switchyard
