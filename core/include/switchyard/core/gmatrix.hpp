// The matrix handle: one matrix, held in one or more formats and spaces.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/function_ref.hpp>
#include <switchyard/containers/multi_vector.hpp>
#include <switchyard/containers/vector.hpp>
#include <switchyard/core/counters.hpp>
#include <switchyard/core/plan.hpp>
#include <vector>

namespace switchyard {

class RuntimeState;
template <Element T>
class MatrixState;
template <Element T>
struct UserFunction;
template <Element T>
struct UserFold;
struct Edge;

/// How many calls of each kind to plan for.
struct ExpectedCalls {
  Index products = 0;    ///< of `multiply`; 0: not known
  Index transposed = 0;  ///< of `multiply_transposed`; 0: not known
  Index columns = 1;     ///< of x and y in these calls
};

/// A handle to a matrix that is held in one or more states. Made by `Runtime::matrix`.
///
/// Before each call the state with the least predicted total time is chosen. The matrix is
/// converted and transferred only where that is amortised (see planner.hpp). A decision is
/// remembered while nothing that it depends on changes. If a device fails, it is set aside and the
/// call completed elsewhere. The last copy is never dropped.
///
/// Threads: const members may be called from any number of threads at once, on one handle, with
/// distinct y. `write_*` and `assign` need exclusive access: they do not wait for running calls.
template <Element T>
class GMatrix {
 public:
  /// For `Runtime::matrix` only.
  explicit GMatrix(std::shared_ptr<MatrixState<T>> state);
  ~GMatrix();
  /// Takes over the matrix. The other handle then has no rows and no columns, and its other members
  /// throw `Error(InvalidArgument)`.
  GMatrix(GMatrix&&) noexcept;
  /// Lets its own matrix go and takes over the other's.
  GMatrix& operator=(GMatrix&&) noexcept;

  /// Elements of y.
  [[nodiscard]] Index rows() const;
  /// Elements of x.
  [[nodiscard]] Index cols() const;
  /// The structure of the matrix. It is estimated from a sample while only dense data exists.
  [[nodiscard]] Structure structure() const;

  /// y = A x. REQUIRES: x of cols() and y of rows() elements, x and y not the same. Throws
  /// `Error(DimensionMismatch)` or `Error(InvalidArgument)` otherwise, and `Error` with another
  /// code if no state can compute it. A, x and y are then unchanged.
  void multiply(const Vector<T>& x, Vector<T>& y) const { multiply(T{1}, x, T{0}, y); }
  /// y = alpha A x + beta y. With beta == 0, y is not read.
  void multiply(T alpha, const Vector<T>& x, T beta, Vector<T>& y) const;
  /// y = A x on the caller's own memory. y is complete when the call returns. With several columns,
  /// x and y are row-major, as a `MultiVector` is.
  void multiply(std::span<const T> x, std::span<T> y, Index columns = 1) const {
    multiply(T{1}, x, T{0}, y, columns);
  }
  /// The same with scalars. With beta == 0, y is not read.
  void multiply(T alpha, std::span<const T> x, T beta, std::span<T> y, Index columns = 1) const;
  /// Y = A X for all columns at once. REQUIRES: X of cols() and Y of rows() rows, both of as many
  /// columns; otherwise as for vectors. Each number of columns has its own call-count hint and its
  /// own plan; copies of the matrix are shared.
  void multiply(const MultiVector<T>& x, MultiVector<T>& y) const { multiply(T{1}, x, T{0}, y); }
  /// Y = alpha A X + beta Y. With beta == 0, Y is not read.
  void multiply(T alpha, const MultiVector<T>& x, T beta, MultiVector<T>& y) const;

  /// y = A^T x. REQUIRES: x of rows() and y of cols() elements; otherwise as `multiply`. Has its
  /// own call-count hint and its own plan; copies of the matrix are shared with `multiply`.
  void multiply_transposed(const Vector<T>& x, Vector<T>& y) const {
    multiply_transposed(T{1}, x, T{0}, y);
  }
  /// y = alpha A^T x + beta y. With beta == 0, y is not read.
  void multiply_transposed(T alpha, const Vector<T>& x, T beta, Vector<T>& y) const;
  /// y = A^T x on the caller's own memory. y is complete when the call returns.
  void multiply_transposed(std::span<const T> x, std::span<T> y, Index columns = 1) const {
    multiply_transposed(T{1}, x, T{0}, y, columns);
  }
  /// The same with scalars. With beta == 0, y is not read.
  void multiply_transposed(T alpha, std::span<const T> x, T beta, std::span<T> y,
                           Index columns = 1) const;
  /// Y = A^T X for all columns at once.
  void multiply_transposed(const MultiVector<T>& x, MultiVector<T>& y) const {
    multiply_transposed(T{1}, x, T{0}, y);
  }
  /// Y = alpha A^T X + beta Y. With beta == 0, Y is not read.
  void multiply_transposed(T alpha, const MultiVector<T>& x, T beta, MultiVector<T>& y) const;

  /// Sets the call-count hint: the number of calls to plan for. Each call reduces it by one.
  /// Without a hint, the calls of earlier contents count, or the rule for an unknown number
  /// (policy.hpp). Throws `Error(InvalidArgument)` below 1.
  void expect_calls(Index calls) const;
  /// The same for each kind of call that is given. Throws `Error(InvalidArgument)` where none is,
  /// or a number is negative.
  void expect_calls(const ExpectedCalls& calls) const;
  /// Overrides the planner: computes in that state only. Throws `Error(DeviceUnavailable)` if there
  /// is no such device, and `Error(Unsupported)` if no kernel multiplies in that state.
  void pin(State state) const;
  /// The same for one kind of call only, whatever the others are pinned to: products in one state
  /// and transposed ones in another. Throws `Error(InvalidArgument)` also if it has no columns.
  void pin(State state, const Request& request) const;
  /// Lets the planner decide again, about every kind of call.
  void unpin() const;
  /// The state that every kind of call is pinned to, if any.
  [[nodiscard]] std::optional<State> pinned() const;

  /// The states that hold a valid copy, ascending.
  [[nodiscard]] std::vector<State> states() const;
  /// The plan for the next call of that kind, with vectors as in the last one (before any: on the
  /// host).
  [[nodiscard]] Plan plan(const Request& request = {}) const;
  /// The steps that were executed since the contents last changed, at most the last hundred.
  /// Consecutive calls of one kind in one state are one step.
  [[nodiscard]] std::vector<Step> history() const;
  /// `plan(request)` as a page of text, with measured times where there are any (see
  /// `explain_plan`). It has no escape sequences.
  [[nodiscard]] std::string explain(const Request& request = {}) const;
  /// The counters of the matrix since it was made, over all its contents.
  [[nodiscard]] Counters counters() const;
  /// Waits for each call, so that `history` has times of calls on devices too. For inspection, not
  /// for speed.
  void measure_products(bool measure) const;

  /// Makes a copy in that state and keeps it. Throws what `multiply` throws.
  void bring_to(State state) const;
  /// Drops the copy in that state. Returns false if there is none or it is the last one.
  bool evict(State state) const;
  /// A copy of the matrix in host memory.
  [[nodiscard]] Storage<T> copy_out(Format format) const;

  /// A^T as a matrix of its own, which shares nothing with this one. A CSR copy becomes its CSC
  /// copy and the other way round, without conversion; a dense one is transposed; any other is
  /// converted to CSR first, and that copy kept. It is made, and stays, on the host or on the
  /// device where that takes least, mostly where a copy of this matrix is. Throws what `multiply`
  /// throws, and `Error(OutOfRange)` for more than 2^31-1 rows, which would be columns.
  [[nodiscard]] GMatrix transposed() const;

  /// Changes the elements in place: `change` gets rows() x cols() elements in row-major order. All
  /// other copies are dropped and the counting of calls begins anew, also if `change` throws.
  ///
  /// From inside `change`, members of this matrix that only look (`rows`, `structure`, `states`,
  /// `plan`, `history`, `counters`, …) answer as before the write. The others, which would work
  /// with half-written contents, throw `Error(InvalidArgument)`.
  ///
  /// Elements in borrowed memory (`Array::borrow`) are copied first: that memory is not written.
  void write_dense(FunctionRef<void(std::span<T> row_major)> change);
  /// The same on the stored elements of the CSR form; the pattern stays.
  void write_csr(FunctionRef<void(const Csr<T>& pattern, std::span<T> values)> change);
  /// Replaces the contents. Shape and pattern may differ.
  void assign(Storage<T> storage);

  // The remaining members are for the skeletons (skeletons.hpp).

  /// Replaces each element by what the function makes of it, absent ones included. A function of
  /// several `operands` gets the element for each; REQUIRES: it does not depend on the place.
  void map_elements(const UserFunction<T>& function, std::size_t operands = 1);
  /// Replaces each element that is not zero by what the function makes of it and of an element of
  /// one or both vectors; one of them may be null. Zeros stay zero. Throws
  /// `Error(DimensionMismatch)` unless there are rows() and cols() elements.
  void map_elements(const UserFunction<T>& function, const Vector<T>* of_rows,
                    const Vector<T>* of_columns);
  /// Becomes what the function makes of the elements of several matrices, or of what is around
  /// them, with that edge. REQUIRES: at least one, all of one shape.
  void map_from(const UserFunction<T>& function, std::span<const GMatrix* const> in,
                const Edge& edge);
  /// The fold of what the function makes of each element, absent ones included.
  [[nodiscard]] double fold_elements(const UserFunction<T>& function,
                                     const UserFold<T>& fold) const;
  /// y_i = the fold of function(a_ij, x_j) over the elements of row i that are not zero. Throws
  /// `Error(DimensionMismatch)` as `multiply`.
  void fold_rows(const UserFunction<T>& function, const UserFold<T>& fold, const Vector<T>& x,
                 Vector<T>& y) const;

 private:
  /// Throws `Error(InvalidArgument)` after a move.
  [[nodiscard]] MatrixState<T>& held() const;

  std::shared_ptr<MatrixState<T>> state_;
};

}  // namespace switchyard
