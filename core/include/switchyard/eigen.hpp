// A GMatrix as the matrix of Eigen's iterative solvers. Include it where Eigen is used: the library
// does not include it.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <switchyard/containers/eigen.hpp>
#include <switchyard/core/gmatrix.hpp>
#include <type_traits>
#include <vector>

namespace switchyard {

template <Element T>
class EigenMatrix;

}  // namespace switchyard

// Eigen requires these in its own namespace:
// https://eigen.tuxfamily.org/dox/group__MatrixfreeSolverExample.html
namespace Eigen::internal {

template <class T>
struct traits<switchyard::EigenMatrix<T>> : traits<SparseMatrix<T>> {};

}  // namespace Eigen::internal

namespace switchyard {

/// The diagonal of a matrix, read when it is asked for. Threads: any.
template <Element T>
class EigenDiagonal {
 public:
  /// Element j. With j = 0 all are read from the matrix. Throws what `GMatrix::copy_out` throws.
  [[nodiscard]] T at(const GMatrix<T>& matrix, Eigen::Index j) {
    const std::scoped_lock lock(mutex_);
    if (j == 0 || values_.empty()) read(matrix);
    return j < std::ssize(values_) ? values_[static_cast<std::size_t>(j)] : T{0};
  }

 private:
  void read(const GMatrix<T>& matrix) {
    const Storage<T> storage = matrix.copy_out(Format::Csr);
    const auto& rows = std::get<Csr<T>>(storage);
    values_.assign(static_cast<std::size_t>(std::min(rows.rows, rows.cols)), T{0});
    for (std::size_t i = 0; i < values_.size(); ++i) {
      rows.row(static_cast<Index>(i), [&](Column column, T value) {
        if (static_cast<std::size_t>(column) == i) values_[i] = value;
      });
    }
  }

  std::mutex mutex_;
  std::vector<T> values_;
};

/// A reference to a GMatrix that Eigen's solvers accept as a matrix. `A * x` calls
/// `GMatrix::multiply`. REQUIRES: the GMatrix outlives it. Made by `as_eigen`.
///
///     const auto A = as_eigen(matrix);
///     Eigen::ConjugateGradient<decltype(as_eigen(matrix)), Eigen::Lower | Eigen::Upper,
///                              Eigen::DiagonalPreconditioner<double>> solver(A);
///
/// `A * X` with several columns, `A.transpose() * x` and `A.adjoint() * x` work as well. Of
/// preconditioners, Eigen's default, the diagonal one, can be used, and those that read no
/// elements. Threads: as many as `GMatrix::multiply` takes.
template <Element T>
class EigenMatrix : public Eigen::EigenBase<EigenMatrix<T>> {
 public:
  using Scalar = T;          ///< Eigen's name for the element type
  using RealScalar = T;      ///< the same: there are no complex matrices
  using StorageIndex = int;  ///< Eigen's type for column indices
  enum {                     // NOLINT(performance-enum-size): Eigen's own names and kind
    ColsAtCompileTime = Eigen::Dynamic,
    MaxColsAtCompileTime = Eigen::Dynamic,
    IsRowMajor = false
  };

  EigenMatrix() = default;
  /// A reference to `matrix`, which has to outlive it.
  explicit EigenMatrix(const GMatrix<T>& matrix)
      : matrix_(&matrix), diagonal_(std::make_shared<EigenDiagonal<T>>()) {}

  /// Rows of the matrix, or of its transpose. 0 without a matrix.
  [[nodiscard]] Eigen::Index rows() const {
    if (!matrix_) return 0;
    return transposed_ ? matrix_->cols() : matrix_->rows();
  }
  /// Columns of the matrix, or of its transpose. 0 without a matrix.
  [[nodiscard]] Eigen::Index cols() const {
    if (!matrix_) return 0;
    return transposed_ ? matrix_->rows() : matrix_->cols();
  }
  /// What `InnerIterator` is made for: columns.
  [[nodiscard]] Eigen::Index outerSize() const { return cols(); }
  /// The transpose. A multiplication calls `GMatrix::multiply_transposed`.
  [[nodiscard]] EigenMatrix transpose() const {
    EigenMatrix other(*this);
    other.transposed_ = !transposed_;
    return other;
  }
  /// The transpose: elements are real.
  [[nodiscard]] EigenMatrix adjoint() const { return transpose(); }
  /// Whether this is the transpose of `matrix()`.
  [[nodiscard]] bool is_transposed() const { return transposed_; }
  /// The matrix. REQUIRES: constructed with one.
  [[nodiscard]] const GMatrix<T>& matrix() const { return *matrix_; }

  /// The diagonal's element of column j, and nothing else: what Eigen's diagonal preconditioner
  /// looks for. With j = 0 the diagonal is read anew, which copies the matrix to CSR once. Throws
  /// what `GMatrix::copy_out` throws.
  class InnerIterator {
   public:
    /// At the element, or at the end where it is not stored or zero.
    InnerIterator(const EigenMatrix& matrix, Eigen::Index j)
        : index_(j), value_(matrix.diagonal_->at(*matrix.matrix_, j)) {}
    /// To the end.
    InnerIterator& operator++() {
      value_ = T{0};
      return *this;
    }
    /// Whether it is at an element.
    explicit operator bool() const { return value_ != T{0}; }
    /// The row of the element.
    [[nodiscard]] Eigen::Index index() const { return index_; }
    /// The element.
    [[nodiscard]] T value() const { return value_; }

   private:
    Eigen::Index index_;
    T value_;
  };

  /// The expression A x, computed when Eigen assigns it. Throws what `GMatrix::multiply` throws.
  template <class Rhs>
  Eigen::Product<EigenMatrix, Rhs, Eigen::AliasFreeProduct> operator*(
      const Eigen::MatrixBase<Rhs>& x) const {
    return {*this, x.derived()};
  }

 private:
  const GMatrix<T>* matrix_ = nullptr;
  bool transposed_ = false;
  std::shared_ptr<EigenDiagonal<T>> diagonal_;  // shared by all copies
};

/// The matrix in the form that Eigen's solvers accept. A multiplication throws what
/// `GMatrix::multiply` throws.
template <Element T>
[[nodiscard]] EigenMatrix<T> as_eigen(const GMatrix<T>& matrix) {
  return EigenMatrix<T>(matrix);
}

}  // namespace switchyard

namespace Eigen::internal {

/// y += alpha A x, for one vector or several.
template <class T, class Rhs, int Tag>
struct generic_product_impl<switchyard::EigenMatrix<T>, Rhs, SparseShape, DenseShape, Tag>
    : generic_product_impl_base<switchyard::EigenMatrix<T>, Rhs,
                                generic_product_impl<switchyard::EigenMatrix<T>, Rhs>> {
  using Scalar = T;

  template <class Dest>
  static void scaleAndAddTo(Dest& y, const switchyard::EigenMatrix<T>& A, const Rhs& x,
                            const T& alpha) {
    if constexpr (Rhs::ColsAtCompileTime == 1) {
      add_vector(y, A, x, alpha);
    } else {
      // Ours are row by row, and Eigen's usually column by column.
      using Rows = Matrix<T, Dynamic, Dynamic, RowMajor>;
      const Rows from = x;
      Rows to = y;
      add(A, alpha, from.data(), to.data(), x.cols());
      y = to;
    }
  }

 private:
  template <class Dest>
  static void add_vector(Dest& y, const switchyard::EigenMatrix<T>& A, const Rhs& x,
                         const T& alpha) {
    using Values = Matrix<T, Dynamic, 1>;
    const Ref<const Values> from(x);  // a copy if x is an expression and not a vector
    if constexpr (std::is_constructible_v<Ref<Values>, Dest&>) {
      Ref<Values> to(y);
      add(A, alpha, from.data(), to.data(), 1);
    } else {
      Values to = y;
      add(A, alpha, from.data(), to.data(), 1);
      y = to;
    }
  }

  static void add(const switchyard::EigenMatrix<T>& A, T alpha, const T* x, T* y,
                  Eigen::Index columns) {
    if (columns == 0) return;
    const std::span<const T> from(x, static_cast<std::size_t>(A.cols() * columns));
    const std::span<T> to(y, static_cast<std::size_t>(A.rows() * columns));
    if (A.is_transposed()) {
      A.matrix().multiply_transposed(alpha, from, T{1}, to, columns);
    } else {
      A.matrix().multiply(alpha, from, T{1}, to, columns);
    }
  }
};

}  // namespace Eigen::internal
