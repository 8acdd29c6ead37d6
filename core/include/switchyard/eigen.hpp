// A GMatrix as the matrix of Eigen's iterative solvers. Include it where Eigen is used: the library
// does not include it.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <span>
#include <switchyard/containers/eigen.hpp>
#include <switchyard/core/gmatrix.hpp>
#include <type_traits>

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

/// A reference to a GMatrix that Eigen's solvers accept as a matrix. `A * x` calls
/// `GMatrix::multiply`. REQUIRES: the GMatrix outlives it. Made by `as_eigen`.
///
///     const auto A = as_eigen(matrix);
///     Eigen::ConjugateGradient<decltype(as_eigen(matrix)), Eigen::Lower | Eigen::Upper,
///                              Eigen::IdentityPreconditioner> solver(A);
///
/// Preconditioners that read elements, as Eigen's default does, cannot be used.
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
  explicit EigenMatrix(const GMatrix<T>& matrix) : matrix_(&matrix) {}

  /// Rows of the matrix. 0 without a matrix.
  [[nodiscard]] Eigen::Index rows() const { return matrix_ ? matrix_->rows() : 0; }
  /// Columns of the matrix. 0 without a matrix.
  [[nodiscard]] Eigen::Index cols() const { return matrix_ ? matrix_->cols() : 0; }
  /// The matrix. REQUIRES: constructed with one.
  [[nodiscard]] const GMatrix<T>& matrix() const { return *matrix_; }

  /// The expression A x, computed when Eigen assigns it. Throws what `GMatrix::multiply` throws.
  template <class Rhs>
  Eigen::Product<EigenMatrix, Rhs, Eigen::AliasFreeProduct> operator*(
      const Eigen::MatrixBase<Rhs>& x) const {
    return {*this, x.derived()};
  }

 private:
  const GMatrix<T>* matrix_ = nullptr;
};

/// The matrix in the form that Eigen's solvers accept. Throws nothing. A multiplication throws what
/// `GMatrix::multiply` throws.
template <Element T>
[[nodiscard]] EigenMatrix<T> as_eigen(const GMatrix<T>& matrix) {
  return EigenMatrix<T>(matrix);
}

}  // namespace switchyard

namespace Eigen::internal {

/// y += alpha A x, for vectors.
template <class T, class Rhs>
struct generic_product_impl<switchyard::EigenMatrix<T>, Rhs, SparseShape, DenseShape, GemvProduct>
    : generic_product_impl_base<switchyard::EigenMatrix<T>, Rhs,
                                generic_product_impl<switchyard::EigenMatrix<T>, Rhs>> {
  using Scalar = T;

  template <class Dest>
  static void scaleAndAddTo(Dest& y, const switchyard::EigenMatrix<T>& A, const Rhs& x,
                            const T& alpha) {
    using Values = Matrix<T, Dynamic, 1>;
    const Ref<const Values> from(x);  // a copy if x is an expression and not a vector
    const std::span<const T> x_span(from.data(), static_cast<std::size_t>(from.size()));
    const auto add_to = [&](T* values, Eigen::Index size) {
      A.matrix().multiply(alpha, x_span, T{1},
                          std::span<T>(values, static_cast<std::size_t>(size)));
    };
    if constexpr (std::is_constructible_v<Ref<Values>, Dest&>) {
      Ref<Values> to(y);
      add_to(to.data(), to.size());
    } else {
      Values to = y;
      add_to(to.data(), to.size());
      y = to;
    }
  }
};

}  // namespace Eigen::internal
