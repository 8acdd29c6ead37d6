// The handle: every member hands on to the state behind it, and an allocation that fails there
// leaves as an Error.
#include <algorithm>
#include <array>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/core/gmatrix.hpp>

#include "execution/matrix_state.hpp"

namespace switchyard {
namespace {

Request request_for(Operand operand, Index columns) {
  if (columns < 1) throw Error(ErrorCode::InvalidArgument, "x and y need at least one column");
  return {.operand = operand, .columns = columns};
}

/// The product of all columns. Without columns there is nothing to compute.
template <Element T>
void multiply_columns(MatrixState<T>& matrix, Operand operand, Product<T> product,
                      const MultiVector<T>& x, MultiVector<T>& y) {
  if (x.columns() != y.columns()) {
    throw Error(ErrorCode::DimensionMismatch, "X has " + std::to_string(x.columns()) +
                                                  " columns, Y has " + std::to_string(y.columns()));
  }
  if (x.columns() == 0) return;
  product.x = &x.elements();
  product.y = &y.elements();
  product.request = request_for(operand, x.columns());
  matrix.multiply(product);
}

}  // namespace

template <Element T>
GMatrix<T>::GMatrix(std::shared_ptr<MatrixState<T>> state) : state_(std::move(state)) {}
template <Element T>
GMatrix<T>::~GMatrix() = default;
template <Element T>
GMatrix<T>::GMatrix(GMatrix&&) noexcept = default;
template <Element T>
GMatrix<T>& GMatrix<T>::operator=(GMatrix&&) noexcept = default;

template <Element T>
MatrixState<T>& GMatrix<T>::held() const {
  if (state_) return *state_;
  throw Error(ErrorCode::InvalidArgument, "this matrix was moved to another handle");
}

template <Element T>
Index GMatrix<T>::rows() const {
  return state_ ? state_->rows() : 0;
}
template <Element T>
Index GMatrix<T>::cols() const {
  return state_ ? state_->cols() : 0;
}
template <Element T>
Structure GMatrix<T>::structure() const {
  return with_enough_memory([&] { return held().structure(); });
}

template <Element T>
void GMatrix<T>::multiply(T alpha, const Vector<T>& x, T beta, Vector<T>& y) const {
  return with_enough_memory([&] { return held().multiply({alpha, &x, beta, &y}); });
}
template <Element T>
void GMatrix<T>::multiply(T alpha, std::span<const T> x, T beta, std::span<T> y,
                          Index columns) const {
  return with_enough_memory(
      [&] { return held().multiply(alpha, x, beta, y, request_for(Operand::Matrix, columns)); });
}
template <Element T>
void GMatrix<T>::multiply(T alpha, const MultiVector<T>& x, T beta, MultiVector<T>& y) const {
  return with_enough_memory(
      [&] { multiply_columns(held(), Operand::Matrix, {.alpha = alpha, .beta = beta}, x, y); });
}

template <Element T>
void GMatrix<T>::multiply_transposed(T alpha, const Vector<T>& x, T beta, Vector<T>& y) const {
  return with_enough_memory([&] {
    return held().multiply({alpha, &x, beta, &y, false, {.operand = Operand::Transpose}});
  });
}
template <Element T>
void GMatrix<T>::multiply_transposed(T alpha, std::span<const T> x, T beta, std::span<T> y,
                                     Index columns) const {
  return with_enough_memory(
      [&] { return held().multiply(alpha, x, beta, y, request_for(Operand::Transpose, columns)); });
}
template <Element T>
void GMatrix<T>::multiply_transposed(T alpha, const MultiVector<T>& x, T beta,
                                     MultiVector<T>& y) const {
  return with_enough_memory(
      [&] { multiply_columns(held(), Operand::Transpose, {.alpha = alpha, .beta = beta}, x, y); });
}

template <Element T>
void GMatrix<T>::expect_calls(const ExpectedCalls& calls) const {
  return with_enough_memory([&] { return held().expect_calls(calls); });
}
template <Element T>
void GMatrix<T>::expect_calls(Index calls) const {
  return expect_calls({.products = calls});
}
template <Element T>
void GMatrix<T>::pin(State state) const {
  return with_enough_memory([&] { return held().pin(state); });
}
template <Element T>
void GMatrix<T>::pin(State state, const Request& request) const {
  return with_enough_memory(
      [&] { return held().pin(state, request_for(request.operand, request.columns)); });
}
template <Element T>
void GMatrix<T>::unpin() const {
  return with_enough_memory([&] { return held().pin(std::nullopt); });
}
template <Element T>
std::optional<State> GMatrix<T>::pinned() const {
  return held().pinned();
}

template <Element T>
std::vector<State> GMatrix<T>::states() const {
  return with_enough_memory([&] { return held().states(); });
}
template <Element T>
Plan GMatrix<T>::plan(const Request& request) const {
  return with_enough_memory(
      [&] { return held().plan(request_for(request.operand, request.columns)); });
}
template <Element T>
std::vector<Step> GMatrix<T>::history() const {
  return with_enough_memory([&] { return held().history(); });
}
template <Element T>
std::string GMatrix<T>::explain(const Request& request) const {
  return with_enough_memory([&] {
    const std::vector<Step> done = history();
    return explain_plan(with_measurements(plan(request), done)) + skeleton_lines(done);
  });
}
template <Element T>
Counters GMatrix<T>::counters() const {
  return held().counters();
}
template <Element T>
void GMatrix<T>::measure_products(bool measure) const {
  held().measure_products(measure);
}

template <Element T>
void GMatrix<T>::bring_to(State state) const {
  return with_enough_memory([&] { return held().bring_to(state); });
}
template <Element T>
bool GMatrix<T>::evict(State state) const {
  return with_enough_memory([&] { return held().evict(state); });
}
template <Element T>
Storage<T> GMatrix<T>::copy_out(Format format) const {
  return with_enough_memory([&] { return held().copy_out(format); });
}
template <Element T>
GMatrix<T> GMatrix<T>::transposed() const {
  return with_enough_memory([&] { return GMatrix(held().transposed()); });
}

template <Element T>
void GMatrix<T>::write_dense(FunctionRef<void(std::span<T>)> change) {
  with_enough_memory([&] {
    held().rewrite(Format::Dense,
                   [&](Storage<T>& storage) { change(std::get<Dense<T>>(storage).values.span()); });
  });
}
template <Element T>
void GMatrix<T>::write_csr(FunctionRef<void(const Csr<T>&, std::span<T>)> change) {
  with_enough_memory([&] {
    held().rewrite(Format::Csr, [&](Storage<T>& storage) {
      auto& matrix = std::get<Csr<T>>(storage);
      change(matrix, matrix.values.span());
    });
  });
}
template <Element T>
void GMatrix<T>::assign(Storage<T> storage) {
  return with_enough_memory([&] { return held().assign(std::move(storage)); });
}

template <Element T>
void GMatrix<T>::map_elements(const UserFunction<T>& function, std::size_t operands) {
  with_enough_memory([&] { held().map_elements(function, operands); });
}
template <Element T>
void GMatrix<T>::map_elements(const UserFunction<T>& function, const Vector<T>* of_rows,
                              const Vector<T>* of_columns) {
  with_enough_memory([&] { held().map_elements(function, 1, {of_rows, of_columns}); });
}
template <Element T>
void GMatrix<T>::map_from(const UserFunction<T>& function, std::span<const GMatrix* const> in,
                          const Edge& edge) {
  with_enough_memory([&] {
    std::array<MatrixState<T>*, most_operands> states{};
    std::ranges::transform(in, states.begin(),
                           [](const GMatrix* matrix) { return &matrix->held(); });
    held().map_from(function, std::span(states).first(in.size()), edge);
  });
}
template <Element T>
double GMatrix<T>::fold_elements(const UserFunction<T>& function, const UserFold<T>& fold) const {
  return with_enough_memory([&] { return held().fold_elements(function, fold); });
}

template <Element T>
void GMatrix<T>::fold_rows(const UserFunction<T>& function, const UserFold<T>& fold,
                           const Vector<T>& x, Vector<T>& y) const {
  with_enough_memory([&] { held().fold_rows(function, fold, x, y); });
}

template class GMatrix<float>;
template class GMatrix<double>;

}  // namespace switchyard
