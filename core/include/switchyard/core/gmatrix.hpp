// The generic matrix: one matrix, in whichever formats and spaces are worth having.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/vector.hpp>
#include <switchyard/core/counters.hpp>
#include <switchyard/core/plan.hpp>
#include <vector>

namespace switchyard {

class RuntimeState;
template <Element T>
class MatrixState;

/// A handle to a matrix whose copies stand in one or more states. Made by `Runtime::matrix`.
///
/// Before each product the cheapest state is planned for, converting and moving where that pays
/// (see `Planner`); a decision is remembered while nothing that it depends on changes. A device
/// that fails is set aside and the product completed elsewhere; the last copy is never dropped.
///
/// Threads: const members may be called from any number of threads at once, on one handle, with
/// distinct y. `write_*` and `assign` wait for no product: they need the matrix to themselves.
template <Element T>
class GMatrix {
 public:
  /// For `Runtime::matrix`, which knows how to make a state.
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
  /// What is known of the matrix; estimated from a sample while only dense data is there.
  [[nodiscard]] Structure structure() const;

  /// y = A x. REQUIRES x of cols() and y of rows() elements, x and y not the same. Throws
  /// `Error(DimensionMismatch)` or `Error(InvalidArgument)` otherwise, and `Error` with another
  /// code where no state can compute it; A, x and y are then as they were.
  void multiply(const Vector<T>& x, Vector<T>& y) const { multiply(T{1}, x, T{0}, y); }
  /// y = alpha A x + beta y; with beta == 0, y is not read.
  void multiply(T alpha, const Vector<T>& x, T beta, Vector<T>& y) const;
  /// The same on the caller's own memory: y is complete when the call returns.
  void multiply(std::span<const T> x, std::span<T> y) const { multiply(T{1}, x, T{0}, y); }
  /// The same with scalars; with beta == 0, y is not read.
  void multiply(T alpha, std::span<const T> x, T beta, std::span<T> y) const;

  /// Plans for that many products to come; used up as they are made. Without it, plans are for as
  /// many products as have been seen. Throws `Error(InvalidArgument)` below 1.
  void expect_calls(Index calls) const;
  /// Computes in that state only, whatever the plan would say. Throws `Error(DeviceUnavailable)`
  /// where there is no such device, `Error(Unsupported)` where nothing multiplies there.
  void pin(State state) const;
  /// Lets the planner decide again.
  void unpin() const;
  /// The state asked for with `pin`, if any.
  [[nodiscard]] std::optional<State> pinned() const;

  /// The states that hold a valid copy, ascending.
  [[nodiscard]] std::vector<State> states() const;
  /// The plan for the next product, with vectors like the last product's (on the host, before any).
  [[nodiscard]] Plan plan() const;
  /// What was really done since the contents last changed, the last hundred steps of it; products
  /// in one state after another are one step.
  [[nodiscard]] std::vector<Step> history() const;
  /// `plan()` as a page, with measured times beside predicted where there are any (see
  /// `explain_plan`). No escape sequences are in it.
  [[nodiscard]] std::string explain() const;
  /// What was done with the matrix since it was made, whatever its contents.
  [[nodiscard]] Counters counters() const;
  /// Waits for each product, so that `history` measures those on devices too. For looking, not for
  /// speed.
  void measure_products(bool measure) const;

  /// Brings a copy into that state and keeps it. Throws what a product throws.
  void bring_to(State state) const;
  /// Drops the copy in that state. Returns false where there is none or it is the last.
  bool evict(State state) const;
  /// A copy of the matrix in host memory.
  [[nodiscard]] Storage<T> copy_out(Format format) const;

  /// Changes the elements in place: `change` gets rows() x cols() elements in row-major order. All
  /// other copies are dropped and the counting of calls begins anew, also if `change` throws.
  ///
  /// From inside `change`, members of this matrix that only look (`rows`, `structure`, `states`,
  /// `plan`, `history`, `counters`, …) answer as before the write. The others, which would work
  /// with half-written contents, throw `Error(InvalidArgument)`.
  ///
  /// Elements in borrowed memory (`Array::borrow`) are copied first: that memory is not written.
  void write_dense(const std::function<void(std::span<T> row_major)>& change);
  /// The same on the stored elements of the CSR form; the pattern stays.
  void write_csr(const std::function<void(const Csr<T>& pattern, std::span<T> values)>& change);
  /// Replaces the contents, which may have another shape and pattern.
  void assign(Storage<T> storage);

 private:
  /// Throws `Error(InvalidArgument)` after a move.
  [[nodiscard]] MatrixState<T>& held() const;

  std::shared_ptr<MatrixState<T>> state_;
};

}  // namespace switchyard
