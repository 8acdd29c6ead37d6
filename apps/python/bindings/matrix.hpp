// A matrix, or its transpose, as Python holds it.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <switchyard/core/gmatrix.hpp>
#include <vector>

#include "buffer.hpp"
#include "runtime.hpp"
#include "storage.hpp"
#include "unlocked.hpp"
#include "vector.hpp"

namespace switchyard::python {

/// Readers and writers, of whom a writer that waits lets no new reader pass: the lock of the system
/// lets readers pass for as long as there are any.
class Access {
 public:
  /// Calls `look` while nobody writes.
  template <class Look>
  auto reading(const Look& look) {
    if (writers_ > 0) const std::lock_guard behind_writers(turn_);
    const std::shared_lock lock(access_);
    return look();
  }
  /// Calls `change` while nobody else reads or writes.
  template <class Change>
  void writing(const Change& change) {
    ++writers_;
    {
      const std::lock_guard next(turn_);
      const std::unique_lock lock(access_);
      --writers_;
      change();
    }
  }

 private:
  std::atomic<int> writers_{0};  ///< that wait
  std::mutex turn_;
  std::shared_mutex access_;
};

/// What a matrix and its transpose share.
template <Element T>
struct Body {
  std::shared_ptr<SharedRuntime> runtime;
  std::vector<Buffer> owners;  ///< of memory that the matrix borrows; freed after it
  GMatrix<T> matrix;
  Access access;     ///< never taken with the lock of the interpreter held
  nb::object empty;  ///< numpy.empty
  nb::object dtype;
};

/// A matrix or its transpose. Threads: all members may be called from any number of threads.
/// REQUIRES: the lock of the interpreter is held by the caller of each member.
template <Element T>
class MatrixHandle {
 public:
  MatrixHandle(std::shared_ptr<SharedRuntime> runtime, Borrowed<T> borrowed);

  /// The transpose; no element moves.
  [[nodiscard]] MatrixHandle transposed() const { return MatrixHandle(body_, !transposed_); }
  [[nodiscard]] bool is_transposed() const noexcept { return transposed_; }
  [[nodiscard]] Index rows() const { return transposed_ ? matrix().cols() : matrix().rows(); }
  [[nodiscard]] Index cols() const { return transposed_ ? matrix().rows() : matrix().cols(); }

  /// A new array for the result of a product with that many columns, a vector if there is no
  /// number.
  [[nodiscard]] nb::object result(std::optional<Index> columns) const;
  /// A x in a new array; None where x is no array that can be read as it is.
  [[nodiscard]] nb::object matmul(nb::handle x) const;
  /// out = alpha A x + beta out. False, nothing done, where x or out cannot be used as they are.
  /// Throws `Error(InvalidArgument)` where they overlap.
  [[nodiscard]] bool multiply(nb::handle x, nb::handle out, T alpha, T beta) const;
  /// The same with vectors that may be on devices.
  void multiply_vector(const SharedVector<T>& x, SharedVector<T>& out, T alpha, T beta) const;

  /// Replaces the stored elements of the CSR form, or all of a dense one; the pattern stays.
  void update(nb::handle data);
  /// Replaces the contents by others of the same shape.
  void assign(Borrowed<T> borrowed);

  /// Calls `look(matrix)` while nobody writes, without the lock of the interpreter.
  template <class Look>
  auto looked(const Look& look) const {
    const Unlocked scope;
    return body_->access.reading([&] { return look(std::as_const(body_->matrix)); });
  }
  /// What a product with that many columns asks of the matrix.
  [[nodiscard]] Request request(Index columns) const {
    return {transposed_ ? Operand::Transpose : Operand::Matrix, columns};
  }

 private:
  MatrixHandle(std::shared_ptr<Body<T>> body, bool transposed);
  [[nodiscard]] const GMatrix<T>& matrix() const { return body_->matrix; }
  void compute(T alpha, std::span<const T> x, T beta, std::span<T> y, Index columns) const;
  /// Whether it is an operand with that many rows, and any number of columns but none.
  [[nodiscard]] static bool fits(const Buffer& view, Index rows);

  std::shared_ptr<Body<T>> body_;
  bool transposed_;
  nb::object length_;  ///< of y
};

}  // namespace switchyard::python
