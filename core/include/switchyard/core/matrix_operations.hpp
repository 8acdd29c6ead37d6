// What programs do to whole matrices between products, written with the skeletons and products.
#pragma once

#include <switchyard/core/skeletons.hpp>

namespace switchyard {

// An absent element is zero, and results do not depend on the format. Those that write the matrix
// need exclusive access; for the others, and for errors, `multiply` tells. Where an operation makes
// a vector to work with, that is told too. `GMatrix::transposed` makes the transpose.

/// A = factor A. See `map`: a factor that is infinite or NaN makes the matrix dense.
template <Element T>
void scale(GMatrix<T>& matrix, std::type_identity_t<T> factor) {
  map(matrix, [factor](auto value) { return factor * value; });
}

/// a_ij = factors_i a_ij. Elements that are zero stay zero, whatever the factor, and the pattern
/// stays. See `map_with_rows` for where it is computed. Throws `Error(DimensionMismatch)` unless
/// there are rows() factors.
template <Element T>
void scale_rows(GMatrix<T>& matrix, const Vector<T>& factors) {
  map_with_rows(
      matrix, [](auto value, auto factor) { return factor * value; }, factors);
}

/// a_ij = factors_j a_ij, with cols() factors; otherwise as `scale_rows`.
template <Element T>
void scale_columns(GMatrix<T>& matrix, const Vector<T>& factors) {
  map_with_columns(
      matrix, [](auto value, auto factor) { return factor * value; }, factors);
}

/// Replaces elements of at most that magnitude by zero: pruning. NaN stays.
template <Element T>
void threshold(GMatrix<T>& matrix, std::type_identity_t<T> magnitude) {
  map(matrix, [magnitude](auto value) { return where(fabs(value) <= magnitude, T{0}, value); });
}

/// sums_i = the sum of row i: the product with a vector of ones. It counts as a call of `multiply`,
/// is computed where that would be, and is rounded as that is. Infinite and NaN elements change
/// their own rows only. REQUIRES: rows() sums.
template <Element T>
void row_sums(const GMatrix<T>& matrix, Vector<T>& sums) {
  matrix.multiply(Vector<T>(matrix.cols(), T{1}), sums);
}

/// sums_j = the sum of column j. As `row_sums`, by `multiply_transposed`. REQUIRES: cols() sums.
template <Element T>
void column_sums(const GMatrix<T>& matrix, Vector<T>& sums) {
  matrix.multiply_transposed(Vector<T>(matrix.rows(), T{1}), sums);
}

/// The sum of each of several vectors side by side, added up where they are and brought to the
/// host. All of them are read once for each. Throws `Error(DimensionMismatch)` unless there are
/// columns() sums.
template <Element T>
void column_sums(const Runtime& runtime, const MultiVector<T>& in, Vector<T>& sums) {
  skeleton::check_shape(sums.size(), 1, in.columns(), 1);
  Index of = 0;
  for (T& sum : sums.write()) {
    const auto in_column = [of](auto, auto column, auto value) {
      return where(column == of, value, T{0});
    };
    sum = map_reduce(runtime, in_column, fold::plus, in);
    ++of;
  }
}

/// elements_i = a_ii, for i below rows() and cols(). See `map_rows` for where it is computed.
/// Throws `Error(DimensionMismatch)` unless there are as many elements as the smaller of the two.
template <Element T>
void diagonal(const GMatrix<T>& matrix, Vector<T>& elements) {
  const auto on_diagonal = [](auto row, auto column, auto value, auto) {
    return where(row == column, value, T{0});
  };
  skeleton::check_shape(elements.size(), 1, std::min(matrix.rows(), matrix.cols()), 1);
  Vector<T> of_rows(matrix.rows());
  map_rows(of_rows, on_diagonal, fold::plus, matrix, Vector<T>(matrix.cols()));
  const std::span<T> to = elements.write();
  std::ranges::copy(of_rows.read().first(to.size()), to.begin());
}

/// The Frobenius norm: the square root of the sum of all squares.
template <Element T>
[[nodiscard]] T norm(const GMatrix<T>& matrix) {
  return sqrt(map_reduce(
      matrix, [](auto value) { return value * value; }, fold::plus));
}

/// The largest magnitude; 0 of no elements, NaN if any is.
template <Element T>
[[nodiscard]] T norm_max(const GMatrix<T>& matrix) {
  const auto magnitude = [](auto value) { return fabs(value); };
  return fold::max(T{0}, map_reduce(matrix, magnitude, fold::max));
}

/// The largest sum of the magnitudes in a row, the norm that goes with that of the largest element
/// of a vector; 0 of no rows, NaN if any element is. See `map_rows` for where it is computed.
template <Element T>
[[nodiscard]] T norm_infinity(const GMatrix<T>& matrix) {
  const auto magnitude = [](auto value, auto) { return fabs(value); };
  Vector<T> sums(matrix.rows());
  map_rows(sums, magnitude, fold::plus, matrix, Vector<T>(matrix.cols()));
  T largest{0};
  for (const T sum : sums.read()) largest = fold::max(largest, sum);
  return largest;
}

/// The largest sum of the magnitudes in a column, the norm that goes with the sum of the magnitudes
/// of a vector; 0 of no columns, NaN if any element is. It makes the transpose to look at.
template <Element T>
[[nodiscard]] T norm_one(const GMatrix<T>& matrix) {
  return norm_infinity(matrix.transposed());
}

}  // namespace switchyard
