// Skeletons on the elements of a matrix that know their places: what a backend does with a user's
// function of a row, a column and values.
#pragma once

#include <switchyard/backends/skeleton_operations.hpp>
#include <switchyard/containers/formats.hpp>

namespace switchyard {

/// A user's function of elements of a matrix, in the form that a backend needs.
template <Element T>
struct ElementFunction {
  UserFunction<T> function;                    ///< on the host
  const RecordedFunction* recorded = nullptr;  ///< on a device. Null on the host
};

/// A user's operation likewise.
template <Element T>
struct ElementFold {
  UserFold<T> fold;                            ///< on the host; its identity everywhere
  const RecordedFunction* recorded = nullptr;  ///< on a device. Null on the host
};

/// A matrix whose rows are folded with a vector.
template <Element T>
struct RowFold {
  ElementFunction<T> function;  ///< of a_ij and x_j
  ElementFold<T> fold;          ///< of what it makes of a row; commutative
  const Storage<T>& matrix;     ///< dense or CSR
  const Array<T>& x;            ///< an element for each column
};

/// The skeletons of one backend on a matrix in the executor's space. They return and throw as those
/// of `SkeletonOperations` do, and the same call gives the same bits.
template <Element T>
struct MatrixSkeletons {
  /// Replaces each stored value by function(row, column, value).
  void (*map_places)(Executor& executor, const ElementFunction<T>& function, Csr<T>& matrix);
  /// The fold of function(row, column, value) over all stored values.
  double (*fold_places)(Executor& executor, const ElementFunction<T>& function,
                        const ElementFold<T>& fold, const Csr<T>& matrix);
  /// y_i = the fold over row i, without elements that are zero. The identity where there are none.
  void (*fold_rows)(Executor& executor, const RowFold<T>& work, Array<T>& y);
};

/// The skeletons of that backend.
template <Element T>
[[nodiscard]] const MatrixSkeletons<T>& matrix_skeletons(Backend backend);

}  // namespace switchyard
