// The table of what exists: every multiply and every conversion, on every backend.
#pragma once

#include <span>
#include <string_view>
#include <switchyard/backends/executor.hpp>
#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/request.hpp>

namespace switchyard {

/// How many of the host's threads a variant uses. Waking threads costs microseconds, and a thread
/// that is off its processor holds up the others: which number is best is measured, not assumed.
enum class Threads : std::uint8_t { One, Half, All };

/// What a kernel for y = alpha A x + beta y works on. REQUIRES matrix, x and y in the executor's
/// space, x of cols and y of rows elements, x and y not overlapping. With beta == 0, y is not read.
template <Element T>
struct MultiplyArguments {
  Executor& executor;        ///< that runs the kernel
  const Storage<T>& matrix;  ///< A, in the kernel's format
  T alpha;                   ///< the factor of A x
  const Array<T>& x;         ///< read
  T beta;                    ///< the factor of the old y
  Array<T>& y;               ///< written; read where beta is not 0
  /// Of the host, for a kernel that runs there; `MultiplyOperation::run` sets it.
  Threads threads = Threads::All;
};

/// One kernel for y = alpha A x + beta y, with A in one format.
template <Element T>
struct MultiplyOperation {
  Format format;             ///< of the matrix
  Backend backend;           ///< that runs it
  std::string_view variant;  ///< unique within format and backend
  std::string_view program;  ///< the kernel file to be built first; empty on the host
  /// The kernel, to be called by `run`.
  void (*kernel)(const MultiplyArguments<T>& arguments);
  /// Whether it is worth considering on such hardware for such a matrix; null: always. It computes
  /// the right product in any case, but may take a thousand times as long as others.
  bool (*suits)(const ExecutorFacts& facts, const Structure& structure) = nullptr;
  Threads threads = Threads::All;     ///< of the host that it uses
  Operand operand = Operand::Matrix;  ///< what it applies to x

  /// Multiplies. Rows are summed in a fixed order, so that the same call gives the same bits. It
  /// may return before a device is done (see `Executor::finish`). Throws `Error`; y is then
  /// undefined.
  void run(MultiplyArguments<T> arguments) const {
    arguments.threads = threads;
    kernel(arguments);
  }
  /// Whether `suits` has nothing against it.
  [[nodiscard]] bool suited(const ExecutorFacts& facts, const Structure& structure) const {
    return !suits || suits(facts, structure);
  }
};

/// One conversion between formats within a space. `run` returns the new matrix in the executor's
/// memory; REQUIRES `matrix` there. Elements equal to zero are not stored in sparse formats;
/// NaN, infinities and the order of elements are kept. The result is ready for use by the same
/// executor when it returns. Throws `Error`; `matrix` is then unchanged.
template <Element T>
struct ConvertOperation {
  Format from;               ///< of the matrix that is there
  Format to;                 ///< of the one that is made
  Backend backend;           ///< that runs it
  std::string_view program;  ///< the kernel file to be built first; empty on the host
  /// The conversion; see above for what it requires.
  Storage<T> (*run)(Executor& executor, const Storage<T>& matrix);
};

/// All multiplies, the plainest variant of each format and backend first. Whatever the hardware and
/// the matrix, one variant of each at least is suited.
template <Element T>
[[nodiscard]] std::span<const MultiplyOperation<T>> multiply_operations();

/// All conversions.
template <Element T>
[[nodiscard]] std::span<const ConvertOperation<T>> convert_operations();

/// The entry of that name, or null.
template <Element T>
[[nodiscard]] const MultiplyOperation<T>* find_multiply(Format format, Backend backend,
                                                        std::string_view variant);
/// The conversion between those formats, or null.
template <Element T>
[[nodiscard]] const ConvertOperation<T>* find_convert(Format from, Format to, Backend backend);

}  // namespace switchyard
