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

/// A map of the elements of a matrix that are not zero, with vectors beside it.
template <Element T>
struct BesideMap {
  ElementFunction<T> function;           ///< of a_ij, then r_i and c_j, as far as they are there
  const Array<T>* of_rows = nullptr;     ///< r, or null
  const Array<T>* of_columns = nullptr;  ///< c, or null where r is not
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
  /// Replaces each stored value by function(row, column, value). REQUIRES: CSR or CSC.
  void (*map_places)(Executor& executor, const ElementFunction<T>& function, Storage<T>& matrix);
  /// The fold of function(row, column, value) over all stored values. REQUIRES: CSR or CSC.
  double (*fold_places)(Executor& executor, const ElementFunction<T>& function,
                        const ElementFold<T>& fold, const Storage<T>& matrix);
  /// y_i = the fold over row i, without elements that are zero. The identity where there are none.
  void (*fold_rows)(Executor& executor, const RowFold<T>& work, Array<T>& y);
  /// Replaces each element that is not zero, and zeros by 0. REQUIRES: dense, CSR or CSC.
  void (*map_beside)(Executor& executor, const BesideMap<T>& work, Storage<T>& matrix);
  /// The matrix of function(row, column, values...), wherever any operand has an element, without
  /// results that are zero. A device throws `Error(Unsupported)` where operands have offsets of 32
  /// and of 64 bits, or the result alone needs 64. REQUIRES: at least one operand, all of one
  /// shape.
  Csr<T> (*merge)(Executor& executor, const ElementFunction<T>& function,
                  std::span<const Csr<T>* const> in);
  /// The transpose, made by copying: dense of dense, CSC of CSR, CSR of CSC. REQUIRES: one of
  /// these, of at most 2^31-1 rows.
  Storage<T> (*transpose)(Executor& executor, const Storage<T>& matrix);
};

/// The skeletons of that backend.
template <Element T>
[[nodiscard]] const MatrixSkeletons<T>& matrix_skeletons(Backend backend);

}  // namespace switchyard
