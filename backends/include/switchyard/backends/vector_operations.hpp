// The table of vector operations of all backends.
#pragma once

#include <span>
#include <string_view>
#include <switchyard/backends/executor.hpp>
#include <switchyard/containers/array.hpp>

namespace switchyard {

/// The elementwise operations.
enum class Elementwise : std::uint8_t {
  Axpby,     ///< z = a x + b z; with b == 0, z is not read
  Scale,     ///< z = a z
  Fill,      ///< z = a
  Add,       ///< z = z + a
  Relu,      ///< z = max(z, 0); NaN stays NaN
  Multiply,  ///< z = x y, element by element
};

/// The reductions of one or two vectors to a number.
enum class Reduction : std::uint8_t {
  Dot,  ///< the sum of x_i y_i
  Sum,  ///< the sum of x_i
};

/// The operands of an elementwise operation. All arrays have one size and are in the executor's
/// space. Those that the operation does not name are null. x, y and z may be the same arrays, but
/// must not overlap otherwise.
template <Element T>
struct ElementwiseOperands {
  T a{};                        ///< the first scalar
  T b{};                        ///< the second
  const Array<T>* x = nullptr;  ///< read
  const Array<T>* y = nullptr;  ///< read
  Array<T>* z = nullptr;        ///< written, and read if the operation does
};

/// One elementwise operation of one backend. `run` may return before a device is done (see
/// `Executor::finish`). It throws `Error`, and z is then undefined.
template <Element T>
struct ElementwiseOperation {
  Elementwise kind;          ///< the operation
  Backend backend;           ///< the backend that runs it
  std::string_view program;  ///< the kernel file to build first; empty on the host
  /// Runs the operation, as described above.
  void (*run)(Executor& executor, const ElementwiseOperands<T>& operands);
};

/// One reduction of one backend. REQUIRES for `run`: x, and y for `Dot`, in the executor's space
/// and of one size. It returns when the sum is known. The sum is accumulated in double where the
/// device has it. The order depends only on the size and the device, and on the host not on the
/// number of threads.
template <Element T>
struct ReduceOperation {
  Reduction kind;            ///< the operation
  Backend backend;           ///< the backend that runs it
  std::string_view program;  ///< the kernel file to build first; empty on the host
  /// Returns the sum, as described above.
  double (*run)(Executor& executor, const Array<T>& x, const Array<T>* y);
};

/// All elementwise operations.
template <Element T>
[[nodiscard]] std::span<const ElementwiseOperation<T>> elementwise_operations();
/// All reductions.
template <Element T>
[[nodiscard]] std::span<const ReduceOperation<T>> reduce_operations();

/// The operation of that backend, or null.
template <Element T>
[[nodiscard]] const ElementwiseOperation<T>* find_elementwise(Elementwise kind, Backend backend);
/// The reduction of that backend, or null.
template <Element T>
[[nodiscard]] const ReduceOperation<T>* find_reduction(Reduction kind, Backend backend);

}  // namespace switchyard
