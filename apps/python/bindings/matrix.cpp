// Products and writes of a matrix from Python.
#include "matrix.hpp"

#include <algorithm>

namespace switchyard::python {
namespace {

/// From that size on malloc asks the system for fresh pages each time and gives them back when they
/// are freed (M_MMAP_THRESHOLD grows no further). To get them takes longer than the product.
constexpr Index mapped_bytes = Index{32} << 20;

}  // namespace

template <Element T>
MatrixHandle<T>::MatrixHandle(std::shared_ptr<SharedRuntime> runtime, Borrowed<T> borrowed)
    : transposed_(false) {
  const auto numpy = nb::module_::import_("numpy");
  runtime = given(std::move(runtime));
  GMatrix<T> matrix = runtime->runtime().template matrix<T>(std::move(borrowed.storage));
  body_.reset(new Body<T>{std::move(runtime),
                          std::move(borrowed.owners),
                          std::move(matrix),
                          {},
                          numpy.attr("empty"),
                          numpy.attr("dtype")(std::is_same_v<T, float> ? "float32" : "float64")});
  length_ = nb::int_(rows());
}

template <Element T>
MatrixHandle<T>::MatrixHandle(std::shared_ptr<Body<T>> body, bool transposed)
    : body_(std::move(body)), transposed_(transposed), length_(nb::int_(rows())) {}

template <Element T>
bool MatrixHandle<T>::fits(const Buffer& view, Index rows) {
  if (!view.holds<T>() || view.dimensions() < 1 || view.dimensions() > 2) return false;
  return view.size(0) == rows && (view.dimensions() == 1 || view.size(1) > 0);
}

template <Element T>
void MatrixHandle<T>::compute(T alpha, std::span<const T> x, T beta, std::span<T> y,
                              Index columns) const {
  looked([&](const GMatrix<T>& matrix) {
    if (transposed_) return matrix.multiply_transposed(alpha, x, beta, y, columns);
    return matrix.multiply(alpha, x, beta, y, columns);
  });
}

template <Element T>
nb::object MatrixHandle<T>::result(std::optional<Index> columns) const {
  if (columns.value_or(1) > mapped_bytes / Index{sizeof(T)} / std::max(rows(), Index{1})) {
    return kept_array<T>(rows(), columns);
  }
  return columns ? body_->empty(nb::make_tuple(length_, *columns), body_->dtype)
                 : body_->empty(length_, body_->dtype);
}

template <Element T>
nb::object MatrixHandle<T>::matmul(nb::handle x) const {
  const Buffer from(x, false);
  if (!fits(from, cols())) return nb::none();
  const auto columns = from.dimensions() == 1 ? std::nullopt : std::optional(from.size(1));
  nb::object y = result(columns);
  const Buffer to(y, true);
  compute(T{1}, from.elements<const T>(), T{0}, to.elements<T>(), columns.value_or(1));
  return y;
}

template <Element T>
bool MatrixHandle<T>::multiply(nb::handle x, nb::handle out, T alpha, T beta) const {
  const Buffer from(x, false);
  const Buffer to(out, true);
  if (!fits(from, cols()) || !fits(to, rows())) return false;
  const Index columns = from.dimensions() == 1 ? 1 : from.size(1);
  if (from.dimensions() != to.dimensions() || (to.dimensions() == 2 && to.size(1) != columns)) {
    return false;
  }
  if (from.overlaps(to)) {
    throw Error(ErrorCode::InvalidArgument, "x and out share memory", "",
                "give another array as out");
  }
  compute(alpha, from.elements<const T>(), beta, to.elements<T>(), columns);
  return true;
}

template <Element T>
void MatrixHandle<T>::multiply_vector(const SharedVector<T>& x, SharedVector<T>& out, T alpha,
                                      T beta) const {
  looked([&](const GMatrix<T>& matrix) {
    if (transposed_) return matrix.multiply_transposed(alpha, x.vector, beta, out.vector);
    return matrix.multiply(alpha, x.vector, beta, out.vector);
  });
}

template <Element T>
void MatrixHandle<T>::update(nb::handle data) {
  const Buffer view = viewed<T>(data, "data");
  const auto from = view.elements<const T>();
  const auto replace = [&](std::span<T> values) {
    if (values.size() != from.size()) {
      throw Error(ErrorCode::DimensionMismatch,
                  "the matrix stores " + std::to_string(values.size()) + " elements, data has " +
                      std::to_string(from.size()));
    }
    std::ranges::copy(from, values.begin());
  };
  const Unlocked scope;
  body_->access.writing([&] {
    if (view.dimensions() == 2) return body_->matrix.write_dense(replace);
    body_->matrix.write_csr([&](const Csr<T>&, std::span<T> values) { replace(values); });
  });
}

template <Element T>
void MatrixHandle<T>::assign(Borrowed<T> borrowed) {
  const Unlocked scope;
  body_->access.writing([&] {
    body_->matrix.assign(std::move(borrowed.storage));
    std::swap(body_->owners, borrowed.owners);
  });
}

template class MatrixHandle<float>;
template class MatrixHandle<double>;

}  // namespace switchyard::python
