// The handle: every member hands on to the state behind it, and an allocation that fails there
// leaves as an Error.
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/core/gmatrix.hpp>

#include "execution/matrix_state.hpp"

namespace switchyard {

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
void GMatrix<T>::multiply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
  return with_enough_memory([&] { return held().multiply(alpha, x, beta, y); });
}

template <Element T>
void GMatrix<T>::expect_calls(Index calls) const {
  return with_enough_memory([&] { return held().expect_calls(calls); });
}
template <Element T>
void GMatrix<T>::pin(State state) const {
  return with_enough_memory([&] { return held().pin(state); });
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
Plan GMatrix<T>::plan() const {
  return with_enough_memory([&] { return held().plan(); });
}
template <Element T>
std::vector<Step> GMatrix<T>::history() const {
  return with_enough_memory([&] { return held().history(); });
}
template <Element T>
std::string GMatrix<T>::explain() const {
  return with_enough_memory([&] { return explain_plan(with_measurements(plan(), history())); });
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

template class GMatrix<float>;
template class GMatrix<double>;

}  // namespace switchyard
