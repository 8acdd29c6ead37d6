// The tables of all multiplications and conversions of all backends.
#pragma once

#include <span>
#include <string_view>
#include <switchyard/backends/executor.hpp>
#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/request.hpp>
#include <switchyard/containers/threads.hpp>

namespace switchyard {

/// The arguments of a kernel for y = alpha A x + beta y, or y = alpha A^T x + beta y. REQUIRES:
/// matrix, x and y in the executor's space, x and y of as many rows as `x_rows` and `y_rows` say,
/// row-major with `columns` elements each, and not overlapping. With beta == 0, y is not read.
template <Element T>
struct MultiplyArguments {
  Executor& executor;        ///< that runs the kernel
  const Storage<T>& matrix;  ///< A, in the kernel's format
  T alpha;                   ///< the factor of A x
  const Array<T>& x;         ///< read
  T beta;                    ///< the factor of the old y
  Array<T>& y;               ///< written; read where beta is not 0
  /// The host's threads, for a kernel that runs there. Set by `MultiplyOperation::run`.
  Threads threads = Threads::All;
  Index columns = 1;  ///< of x and y; 1 unless the kernel takes many
};

/// One kernel for y = alpha A x + beta y or y = alpha A^T x + beta y, with A in one format.
template <Element T>
struct MultiplyOperation {
  Format format = Format::Dense;      ///< of the matrix
  Backend backend = Backend::OpenMP;  ///< that runs it
  std::string_view variant;           ///< unique within format, backend, operand and `many_columns`
  std::string_view program;           ///< the kernel file to build first; empty on the host
  /// The kernel, for `run` only.
  void (*kernel)(const MultiplyArguments<T>& arguments) = nullptr;
  /// Whether it is worth considering on this hardware for this matrix. Null: always. An unsuited
  /// variant is correct, but may take a thousand times as long as others.
  bool (*suits)(const ExecutorFacts& facts, const Structure& structure) = nullptr;
  Threads threads = Threads::All;     ///< of the host that it uses
  Operand operand = Operand::Matrix;  ///< what it applies to x
  bool many_columns = false;          ///< takes any number of columns above 0; else one only

  /// Multiplies. No sum depends on the order in which threads run: the same call gives the same
  /// bits, but for several columns on a device whose memory is nearly full. It may return before a
  /// device is done (see `Executor::finish`). Throws `Error`, and y is then undefined.
  void run(MultiplyArguments<T> arguments) const {
    arguments.threads = threads;
    kernel(arguments);
  }
  /// The kind of request that it is for, with two columns for many.
  [[nodiscard]] Request request() const noexcept { return {operand, many_columns ? 2 : 1}; }
  /// Whether it is for this request.
  [[nodiscard]] bool computes(const Request& request) const noexcept {
    return operand == request.operand && many_columns == (request.columns > 1);
  }
  /// Whether `suits` is null or returns true.
  [[nodiscard]] bool suited(const ExecutorFacts& facts, const Structure& structure) const {
    return !suits || suits(facts, structure);
  }
};

/// One conversion between formats within a space. `run` returns the new matrix in the executor's
/// memory. REQUIRES: `matrix` is there. Elements equal to zero are not stored in sparse formats.
/// NaN, infinities and the order of elements are kept. The same executor can use the result when
/// `run` returns. It throws `Error`, and `matrix` is then unchanged.
template <Element T>
struct ConvertOperation {
  Format from = Format::Dense;        ///< of the existing matrix
  Format to = Format::Dense;          ///< of the new matrix
  Backend backend = Backend::OpenMP;  ///< that runs it
  std::string_view program;           ///< the kernel file to build first; empty on the host
  /// Runs the conversion, as described above.
  Storage<T> (*run)(Executor& executor, const Storage<T>& matrix) = nullptr;
};

/// All multiplications, the plainest variant of each format, backend and kind of request first. At
/// least one variant of each is suited for any hardware and matrix.
template <Element T>
[[nodiscard]] std::span<const MultiplyOperation<T>> multiply_operations();

/// All conversions.
template <Element T>
[[nodiscard]] std::span<const ConvertOperation<T>> convert_operations();

/// The multiplication of that name for that request, or null.
template <Element T>
[[nodiscard]] const MultiplyOperation<T>* find_multiply(Format format, Backend backend,
                                                        std::string_view variant,
                                                        const Request& request = {});
/// The conversion between those formats, or null.
template <Element T>
[[nodiscard]] const ConvertOperation<T>* find_convert(Format from, Format to, Backend backend);

}  // namespace switchyard
