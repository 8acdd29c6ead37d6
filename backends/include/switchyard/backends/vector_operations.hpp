// The table of what can be done with vectors alone, on every backend.
#pragma once

#include <span>
#include <string_view>
#include <switchyard/backends/executor.hpp>
#include <switchyard/containers/array.hpp>

namespace switchyard {

/// What becomes of each element of z.
enum class Elementwise : std::uint8_t {
  Axpby,     ///< z = a x + b z; with b == 0, z is not read
  Scale,     ///< z = a z
  Fill,      ///< z = a
  Add,       ///< z = z + a
  Relu,      ///< z = max(z, 0); NaN stays NaN
  Multiply,  ///< z = x y, element by element
};

/// What a vector, or two, is summed up to.
enum class Reduction : std::uint8_t {
  Dot,  ///< the sum of x_i y_i
  Sum,  ///< the sum of x_i
};

/// What an elementwise operation works on: all of one size, in the executor's space; those that the
/// operation does not name are null. x, y and z may be the same arrays, but not overlap otherwise.
template <Element T>
struct ElementwiseOperands {
  T a{};                        ///< the first scalar
  T b{};                        ///< the second
  const Array<T>* x = nullptr;  ///< read
  const Array<T>* y = nullptr;  ///< read
  Array<T>* z = nullptr;        ///< written, and read where the operation says so
};

/// One elementwise operation on one backend. `run` may return before a device is done (see
/// `Executor::finish`). Throws `Error`; z is then undefined.
template <Element T>
struct ElementwiseOperation {
  Elementwise kind;          ///< which it is
  Backend backend;           ///< that runs it
  std::string_view program;  ///< the kernel file to be built first; empty on the host
  /// The operation; see above for when it returns.
  void (*run)(Executor& executor, const ElementwiseOperands<T>& operands);
};

/// One reduction on one backend. `run` REQUIRES x, and y for `Dot`, in the executor's space and of
/// one size; returns when the sum is known. Summed in double where the device has it, in an order
/// that depends on the size and on the device alone: on the host not on the number of threads.
template <Element T>
struct ReduceOperation {
  Reduction kind;            ///< which it is
  Backend backend;           ///< that runs it
  std::string_view program;  ///< the kernel file to be built first; empty on the host
  /// The sum; see above for what it requires.
  double (*run)(Executor& executor, const Array<T>& x, const Array<T>* y);
};

/// All elementwise operations.
template <Element T>
[[nodiscard]] std::span<const ElementwiseOperation<T>> elementwise_operations();
/// All reductions.
template <Element T>
[[nodiscard]] std::span<const ReduceOperation<T>> reduce_operations();

/// The entry for that backend, or null.
template <Element T>
[[nodiscard]] const ElementwiseOperation<T>* find_elementwise(Elementwise kind, Backend backend);
/// The reduction for that backend, or null.
template <Element T>
[[nodiscard]] const ReduceOperation<T>* find_reduction(Reduction kind, Backend backend);

}  // namespace switchyard
