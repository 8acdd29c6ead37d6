// Skeletons: what a program does to the elements of vectors, given as functions.
#pragma once

#include <string>
#include <switchyard/containers/multi_vector.hpp>
#include <switchyard/containers/vector.hpp>
#include <switchyard/core/gmatrix.hpp>
#include <switchyard/core/user_folds.hpp>
#include <switchyard/core/user_functions.hpp>
#include <switchyard/core/vector_operations.hpp>

namespace switchyard {

class Runtime;

// The skeletons of SkePU (Enmyren and Kessler 2010) on vectors that are lazily coherent between
// the host and the devices:
//
//   map(runtime, out, f, in...)              out_i = f(in_i...)
//   generate(runtime, out, f)                out_i = f(i)
//   map_overlap(runtime, out, f, edge, in...)  out_i = f(windows around in_i...)
//   reduce(runtime, op, in)                  in_0 op in_1 op ...
//   map_reduce(runtime, f, op, in...)        f(in_0...) op f(in_1...) op ...
//   scan(runtime, op, out, in)               out_i = in_0 op ... op in_i
//
// Those on matrices are below; what is written with them is in matrix_operations.hpp.
//
// A function is called on the host, and recorded for devices: it is called once with symbols
// (symbol.hpp), and what it computes becomes a kernel. To be recorded, it must be a lambda whose
// parameters are `auto`, and choose by `where(condition, a, b)` instead of `if`. Numbers that it
// captures are arguments of the kernel. A function that cannot be recorded runs on the host;
// `recorded_form` tells why. Functions are called in any order, from several threads at once, and
// must neither throw nor change anything.
//
// A skeleton runs where its operands are, as other operations on vectors do
// (vector_operations.hpp), and goes on on the host if a device fails. The same call on the same
// space gives the same bits. Sums, differences, products, quotients, square roots, comparisons, min
// and max have the same bits on devices that round quotients correctly; exp, log and the like may
// differ in the last bits.
//
// All throw `Error(DimensionMismatch)` if sizes differ, and the operands are then unchanged. They
// throw `Error(DeviceLost)` or similar if a failed device held the only copy of an operand. `out`
// may be one of `in`, but for map_overlap.
//
// Threads: any number of calls at once, as long as no other thread uses a vector that is written.

/// What the functions below hand on to; not for programs.
namespace skeleton {

/// A skeleton's function and what it reads.
template <Element T>
struct Call {
  UserFunction<T> function;              ///< of one element of each operand
  std::span<const Vector<T>* const> in;  ///< the operands
  Index columns = 1;                     ///< of each row; see `SkeletonOperands`
  Edge edge = {};                        ///< see `ElementBlock`
};

/// See `map`.
template <Element T>
void run_map(const Runtime& runtime, const Call<T>& call, Vector<T>& out);
/// See `map_reduce`.
template <Element T>
[[nodiscard]] T run_reduce(const Runtime& runtime, const Call<T>& call, const UserFold<T>& fold);
/// See `scan`.
template <Element T>
void run_scan(const Runtime& runtime, const UserFold<T>& fold, const Vector<T>& in, Vector<T>& out);
/// See `map` of several matrices, and `map_overlap` of matrices.
template <Element T>
void map_matrices(GMatrix<T>& out, const UserFunction<T>& function,
                  std::span<const GMatrix<T>* const> in, const Edge& edge = {});
/// See `recorded_form`.
[[nodiscard]] std::string text_of(const RecordedFunction& function);

/// Whether V is a vector, of whatever elements.
template <class V>
inline constexpr bool is_vector = false;
/// See above.
template <Element T>
inline constexpr bool is_vector<Vector<T>> = true;
/// Whether V is several vectors side by side.
template <class V>
inline constexpr bool is_block = false;
/// See above.
template <Element T>
inline constexpr bool is_block<MultiVector<T>> = true;
/// Whether V is a matrix.
template <class V>
inline constexpr bool is_matrix = false;
/// See above.
template <Element T>
inline constexpr bool is_matrix<GMatrix<T>> = true;

/// Where the operands are, all of which must be of type V.
template <class V, class... In>
[[nodiscard]] std::array<const V*, sizeof...(In)> operands(const In&... in) {
  if constexpr ((std::is_same_v<In, V> && ...)) {
    return {&in...};
  } else {
    static_assert((std::is_same_v<In, V> && ...),
                  "all operands of a skeleton must have elements of the same type");
    return {};
  }
}

/// Throws `Error(DimensionMismatch)` unless both have that shape.
void check_shape(Index rows, Index columns, Index wanted_rows, Index wanted_columns);

}  // namespace skeleton

/// out_i = f(in_i...) for all elements. f takes a number for each operand, or before them the
/// number of the element (an `Index`).
template <Element T, class F, class... In>
requires(skeleton::is_vector<In>&&...) void map(const Runtime& runtime, Vector<T>& out, const F& f,
                                                const In&... in) {
  constexpr auto place = skeleton::place_of<F, T, sizeof...(In), false>();
  const auto operands = skeleton::operands<Vector<T>>(in...);
  skeleton::run_map<T>(runtime, {skeleton::user_function<T, place, sizeof...(In)>(f), operands},
                       out);
}

/// The same for several vectors side by side: f takes a number for each operand, or before them the
/// row and the column of the element.
template <Element T, class F, class... In>
requires(skeleton::is_block<In>&&...) void map(const Runtime& runtime, MultiVector<T>& out,
                                               const F& f, const In&... in) {
  constexpr auto place = skeleton::place_of<F, T, sizeof...(In), true>();
  (skeleton::check_shape(in.rows(), in.columns(), out.rows(), out.columns()), ...);
  const auto operands = skeleton::operands<Vector<T>>(in.elements()...);
  skeleton::run_map<T>(
      runtime, {skeleton::user_function<T, place, sizeof...(In)>(f), operands, out.columns()},
      out.elements());
}

/// out_i = f(i), with i an `Index`.
template <Element T, class F>
void generate(const Runtime& runtime, Vector<T>& out, const F& f) {
  map(runtime, out, f);
}

/// The same for several vectors side by side: f(row, column).
template <Element T, class F>
void generate(const Runtime& runtime, MultiVector<T>& out, const F& f) {
  map(runtime, out, f);
}

/// out_i = f(window...), where each window shows an operand around element i: w(0) is the element,
/// w(-1) the one before it (see `Window`). Declare the parameters of f `auto`. Throws
/// `Error(InvalidArgument)` if `out` is an operand.
template <Element T, class F, class... In>
requires(skeleton::is_vector<In>&&...) void map_overlap(const Runtime& runtime, Vector<T>& out,
                                                        const F& f, Edge edge, const In&... in) {
  static_assert(sizeof...(In) > 0, "map_overlap needs an operand");
  static_assert(skeleton::takes<F, Window<T>>(std::make_index_sequence<sizeof...(In)>()),
                "the function must take a window for each operand: declare its parameters auto");
  const auto operands = skeleton::operands<Vector<T>>(in...);
  skeleton::run_map<T>(
      runtime,
      {skeleton::user_function<T, skeleton::Place::Near, sizeof...(In)>(f), operands, 1, edge},
      out);
}

/// The same for several vectors side by side: w(0, 0) is the element, w(-1, 0) the one before it in
/// its vector, w(0, 1) the one beside it in the next vector (see `MatrixWindow`).
template <Element T, class F, class... In>
requires(skeleton::is_block<In>&&...) void map_overlap(const Runtime& runtime, MultiVector<T>& out,
                                                       const F& f, Edge edge, const In&... in) {
  static_assert(sizeof...(In) > 0, "map_overlap needs an operand");
  static_assert(skeleton::takes<F, MatrixWindow<T>>(std::make_index_sequence<sizeof...(In)>()),
                "the function must take a window for each operand: declare its parameters auto");
  (skeleton::check_shape(in.rows(), in.columns(), out.rows(), out.columns()), ...);
  constexpr auto place = skeleton::Place::Around;
  const auto operands = skeleton::operands<Vector<T>>(in.elements()...);
  skeleton::run_map<T>(
      runtime, {skeleton::user_function<T, place, sizeof...(In)>(f), operands, out.columns(), edge},
      out.elements());
}

/// f(in_0...) op f(in_1...) op ..., with f as for `map` and an operation of `fold`. Of no elements
/// it is the operation's identity.
template <class F, class Op, Element T, class... In>
requires(skeleton::is_vector<In>&&...) [[nodiscard]] T
    map_reduce(const Runtime& runtime, const F& f, const Op& op, const Vector<T>& first,
               const In&... in) {
  constexpr auto place = skeleton::place_of<F, T, 1 + sizeof...(In), false>();
  const auto operands = skeleton::operands<Vector<T>>(first, in...);
  return skeleton::run_reduce<T>(
      runtime, {skeleton::user_function<T, place, 1 + sizeof...(In)>(f), operands},
      skeleton::user_fold<T>(op));
}

/// The same over all elements of several vectors side by side, row by row: f takes a number for
/// each operand, or before them the row and the column of the element.
template <class F, class Op, Element T, class... In>
requires(skeleton::is_block<In>&&...) [[nodiscard]] T
    map_reduce(const Runtime& runtime, const F& f, const Op& op, const MultiVector<T>& first,
               const In&... in) {
  constexpr auto place = skeleton::place_of<F, T, 1 + sizeof...(In), true>();
  (skeleton::check_shape(in.rows(), in.columns(), first.rows(), first.columns()), ...);
  const auto operands = skeleton::operands<Vector<T>>(first.elements(), in.elements()...);
  return skeleton::run_reduce<T>(
      runtime, {skeleton::user_function<T, place, 1 + sizeof...(In)>(f), operands, first.columns()},
      skeleton::user_fold<T>(op));
}

/// in_0 op in_1 op ..., with an operation of `fold`. Of no elements it is the operation's identity.
template <class Op, Element T>
[[nodiscard]] T reduce(const Runtime& runtime, const Op& op, const Vector<T>& in) {
  return map_reduce(runtime, skeleton::Same{}, op, in);
}

/// The same over all elements of several vectors side by side, row by row.
template <class Op, Element T>
[[nodiscard]] T reduce(const Runtime& runtime, const Op& op, const MultiVector<T>& in) {
  return reduce(runtime, op, in.elements());
}

/// out_i = in_0 op ... op in_i, with an operation of `fold`.
template <class Op, Element T>
void scan(const Runtime& runtime, const Op& op, Vector<T>& out, const Vector<T>& in) {
  skeleton::run_scan<T>(runtime, skeleton::user_fold<T>(op), in, out);
}

/// What devices compute for a function of so many elements of type T, in OpenCL C, or why it runs
/// on the host only: "host only: it branches on a value: use where(condition, a, b)".
template <Element T, std::size_t operands, class F>
[[nodiscard]] std::string recorded_form(const F& f) {
  constexpr auto place = skeleton::place_of<F, T, operands, false>();
  RecordedFunction function;
  const UserFunction<T> called = skeleton::user_function<T, place, operands>(f);
  called.record(called.object, function);
  return skeleton::text_of(function);
}

/// A_ij = f(A_ij) for all elements, absent ones, which are zero, included. f takes a number, or
/// before it the row and the column of the element. The result does not depend on the format.
///
/// If f(0) is 0, only stored values are changed, in the state where that and the calls to come take
/// least; a dictionary is changed instead of all that refer to it. Otherwise the matrix becomes
/// dense. All other copies are dropped and the counting of calls begins anew, as with `write_csr`.
/// Of a function of places it must be certain from what is recorded that 0 stays 0, or the matrix
/// becomes dense. Zeros that arise in a sparse format stay stored until the next conversion.
/// Throws what `multiply` throws, and the matrix is then unchanged; or `Error(DeviceLost)` if its
/// only copy was on a device that failed. REQUIRES: as `write_csr`, exclusive access.
template <Element T, class F>
void map(GMatrix<T>& matrix, const F& f) {
  constexpr auto place = skeleton::place_of<F, T, 1, true>();
  matrix.map_elements(skeleton::user_function<T, place, 1>(f));
}

/// out_ij = f(in_ij...) for all elements of several matrices of one shape, absent ones, which are
/// zero, included. f takes a number for each, or before them the row and the column. `out` may have
/// any shape before, and may be an operand. Where f takes no place and each operand is `out`, this
/// is `map(out, f)`.
///
/// If f of zeros is certainly zero, it is computed in CSR, wherever any operand has an element, or
/// in dense; otherwise in dense. It is computed in the format and space in which the ways of all
/// operands, the map, and the calls that are expected of `out` take least. The result stays there.
/// Results that are zero are not stored in CSR. Throws `Error(DimensionMismatch)`, and what
/// `multiply` throws; `out` is then unchanged.
template <Element T, class F, class... In>
requires(sizeof...(In) > 0 &&
         (skeleton::is_matrix<In> && ...)) void map(GMatrix<T>& out, const F& f, const In&... in) {
  constexpr auto place = skeleton::place_of<F, T, sizeof...(In), true>();
  const auto operands = skeleton::operands<GMatrix<T>>(in...);
  skeleton::map_matrices<T>(out, skeleton::user_function<T, place, sizeof...(In)>(f), operands);
}

/// out_ij = f(window...), where each window shows a matrix around element (i, j): w(0, 0) is the
/// element, w(-1, 0) the one above it, w(0, 1) the one to the right of it (see `MatrixWindow`).
/// Declare the parameters of f `auto`. All matrices have one shape; `out` may have another before,
/// and may be an operand. It is computed in dense, on the host or on the device in which the ways
/// of all operands, the map, and the calls that are expected of `out` take least. The result is
/// dense there. Throws as `map` of several matrices.
template <Element T, class F, class... In>
requires(skeleton::is_matrix<In>&&...) void map_overlap(GMatrix<T>& out, const F& f, Edge edge,
                                                        const In&... in) {
  static_assert(sizeof...(In) > 0, "map_overlap needs an operand");
  static_assert(skeleton::takes<F, MatrixWindow<T>>(std::make_index_sequence<sizeof...(In)>()),
                "the function must take a window for each operand: declare its parameters auto");
  constexpr auto place = skeleton::Place::Around;
  const auto operands = skeleton::operands<GMatrix<T>>(in...);
  skeleton::map_matrices<T>(out, skeleton::user_function<T, place, sizeof...(In)>(f), operands,
                            edge);
}

/// A_ij = f(A_ij, r_i) for the elements that are not zero; zeros stay, in every format, as in
/// `map_rows`. f takes the two numbers, or before them the row and the column. The matrix is
/// changed in dense, CSR or CSC, in the state in which the ways of matrix and vector, the map, and
/// the calls to come take least. All other copies are dropped and the counting of calls begins
/// anew. REQUIRES: as `map` of a matrix. Throws `Error(DimensionMismatch)` unless there are rows()
/// numbers, and what `map` throws.
template <Element T, class F>
void map_with_rows(GMatrix<T>& matrix, const F& f, const Vector<T>& of_rows) {
  constexpr auto place = skeleton::place_of<F, T, 2, true>();
  matrix.map_elements(skeleton::user_function<T, place, 2>(f), &of_rows, nullptr);
}

/// A_ij = f(A_ij, c_j), with cols() numbers; otherwise as `map_with_rows`.
template <Element T, class F>
void map_with_columns(GMatrix<T>& matrix, const F& f, const Vector<T>& of_columns) {
  constexpr auto place = skeleton::place_of<F, T, 2, true>();
  matrix.map_elements(skeleton::user_function<T, place, 2>(f), nullptr, &of_columns);
}

/// A_ij = f(A_ij, r_i, c_j), with rows() and cols() numbers; otherwise as `map_with_rows`.
template <Element T, class F>
void map_with_both(GMatrix<T>& matrix, const F& f, const Vector<T>& of_rows,
                   const Vector<T>& of_columns) {
  constexpr auto place = skeleton::place_of<F, T, 3, true>();
  matrix.map_elements(skeleton::user_function<T, place, 3>(f), &of_rows, &of_columns);
}

/// y_i = f(a_i0, x_0) op f(a_i1, x_1) op ... over the elements of row i that are not zero: a
/// product with other operations than times and plus, such as plus and the minimum. Of an empty row
/// it is the operation's identity. f takes a_ij and x_j, or before them i and j. It is computed in
/// CSR or in dense, on the host or on the device where that takes least, with the ways of matrix
/// and vectors; y stays there. The host folds a row in its order. A device folds every n-th element
/// of a row together, and then the results by halves; n depends on the row's length, the matrix and
/// the device. REQUIRES: x of cols() and y of rows() elements, not the same. Throws what `multiply`
/// throws.
template <Element T, class F, class Op>
void map_rows(Vector<T>& y, const F& f, const Op& op, const GMatrix<T>& matrix,
              const Vector<T>& x) {
  constexpr auto place = skeleton::place_of<F, T, 2, true>();
  matrix.fold_rows(skeleton::user_function<T, place, 2>(f), skeleton::user_fold<T>(op), x, y);
}

/// The fold of f(A_ij) over all elements, absent ones, which are zero, included; f as above. It is
/// computed in the state where that takes least, mostly where a copy of the matrix is. The order of
/// elements, and so the rounding of sums, depends on the state.
template <Element T, class F, class Op>
[[nodiscard]] T map_reduce(const GMatrix<T>& matrix, const F& f, const Op& op) {
  constexpr auto place = skeleton::place_of<F, T, 1, true>();
  return static_cast<T>(
      matrix.fold_elements(skeleton::user_function<T, place, 1>(f), skeleton::user_fold<T>(op)));
}

/// The fold of all elements, absent ones, which are zero, included.
template <Element T, class Op>
[[nodiscard]] T reduce(const GMatrix<T>& matrix, const Op& op) {
  return map_reduce(matrix, skeleton::Same{}, op);
}

}  // namespace switchyard
