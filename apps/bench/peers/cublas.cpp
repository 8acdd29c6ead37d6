// cuBLAS: dense products in device memory.
#include <algorithm>
#include <vector>

#include "cblas.hpp"
#include "cuda.hpp"
#include "order.hpp"

namespace switchyard::command::bench {
namespace {

// As cublas_api.h has them: a handle is a pointer, scalars are read from the host, and matrices are
// stored by columns. So our row-major matrices are their own transposes there.
constexpr int as_it_is = 0;
constexpr int transposed = 1;
using Handle = void*;
template <Element T>
using Gemv = int(Handle handle, int operation, std::int64_t rows, std::int64_t cols, const T* alpha,
                 const T* a, std::int64_t lda, const T* x, std::int64_t step_x, const T* beta, T* y,
                 std::int64_t step_y);
template <Element T>
using Gemm = int(Handle handle, int operation_a, int operation_b, std::int64_t rows,
                 std::int64_t cols, std::int64_t inner, const T* alpha, const T* a,
                 std::int64_t lda, const T* b, std::int64_t ldb, const T* beta, T* c,
                 std::int64_t ldc);

void check(int status, const char* what) {
  if (status == 0) return;
  throw Error(ErrorCode::Unsupported, std::string(what) + " gives " + std::to_string(status));
}

const DynamicLibrary& library() {
  static const DynamicLibrary loaded{"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
  return loaded;
}

Handle handle() {
  static const Handle made = [] {
    Handle created = nullptr;
    check(library().get<int(Handle*)>("cublasCreate_v2")(&created), "cublasCreate");
    return created;
  }();
  return made;
}

/// A, X and Y in device memory.
template <Element T>
struct Operands {
  CudaArray a;
  CudaArray x;
  CudaArray y;
  std::int64_t rows;  // of A
  std::int64_t cols;
  std::int64_t columns;  // of X and Y
  bool transpose;

  Operands(const PeerProblem<T>& problem, std::span<const T> x_values)
      : a(small_dense(problem).values.span()),
        x(x_values),
        y(problem.y_size() * sizeof(T)),
        rows(problem.csr.rows),
        cols(problem.csr.cols),
        columns(problem.request.columns),
        transpose(problem.transposed()) {}

  [[nodiscard]] std::int64_t x_rows() const { return transpose ? rows : cols; }
  [[nodiscard]] std::int64_t y_rows() const { return transpose ? cols : rows; }
  [[nodiscard]] const T* matrix() const { return static_cast<const T*>(a.data()); }
  [[nodiscard]] const T* from() const { return static_cast<const T*>(x.data()); }
  [[nodiscard]] T* to() const { return static_cast<T*>(y.data()); }
};

void finish() { Cuda::runtime().finish(); }

template <Element T>
Gemm<T>* gemm_function() {
  return library().get<Gemm<T>>(std::same_as<T, float> ? "cublasSgemm_v2_64" : "cublasDgemm_v2_64");
}

template <Element T>
constexpr T one{1};
template <Element T>
constexpr T zero{0};

template <Element T>
PeerProduct<T> prepare_vector(const PeerProblem<T>& problem) {
  const auto its = std::make_shared<Operands<T>>(problem, problem.x);
  auto* const gemv =
      library().get<Gemv<T>>(std::same_as<T, float> ? "cublasSgemv_v2_64" : "cublasDgemv_v2_64");
  const auto call = [=] {
    check(gemv(handle(), its->transpose ? as_it_is : transposed, its->cols, its->rows, &one<T>,
               its->matrix(), its->cols, its->from(), 1, &zero<T>, its->to(), 1),
          "cublas gemv");
  };
  return {.call = call, .settle = &finish, .fetch = [its](std::span<T> result) {
            its->y.copy_out(result.data());
          }};
}

/// X and Y row-major, as ours are.
template <Element T>
PeerProduct<T> prepare_rows(const PeerProblem<T>& problem) {
  const auto its = std::make_shared<Operands<T>>(problem, problem.x);
  const auto call = [its, gemm = gemm_function<T>()] {
    check(gemm(handle(), as_it_is, its->transpose ? transposed : as_it_is, its->columns,
               its->y_rows(), its->x_rows(), &one<T>, its->from(), its->columns, its->matrix(),
               its->cols, &zero<T>, its->to(), its->columns),
          "cublas gemm");
  };
  return {.call = call, .settle = &finish, .fetch = [its](std::span<T> result) {
            its->y.copy_out(result.data());
          }};
}

/// X and Y by columns, as cuBLAS has them.
template <Element T>
PeerProduct<T> prepare_columns(const PeerProblem<T>& problem) {
  const std::vector<T> x = exchanged(problem.x, problem.request.columns);
  const auto its = std::make_shared<Operands<T>>(problem, x);
  const auto call = [its, gemm = gemm_function<T>()] {
    check(gemm(handle(), its->transpose ? as_it_is : transposed, as_it_is, its->y_rows(),
               its->columns, its->x_rows(), &one<T>, its->matrix(), its->cols, its->from(),
               its->x_rows(), &zero<T>, its->to(), its->y_rows()),
          "cublas gemm");
  };
  return {.call = call, .settle = &finish, .fetch = [its](std::span<T> result) {
            its->y.copy_out(result.data());
            std::ranges::copy(exchanged(std::span<const T>(result), its->y_rows()), result.begin());
          }};
}

template <Prepare<float> for_float, Prepare<double> for_double>
Peer product_by(const std::string& name, PeerColumns columns) {
  return {name, Format::Dense, PeerPlace::Nvidia, for_float, for_double, columns, true};
}

}  // namespace

PeerLibrary cublas_peer() {
  static_cast<void>(Cuda::runtime());
  int version = 0;
  check(library().get<int(Handle, int*)>("cublasGetVersion_v2")(handle(), &version),
        "cublasGetVersion");
  return {
      .name = "cublas",
      .version = std::to_string(version),
      .remark = "many columns: cublas has X and Y row-major, cublas/columns by columns",
      .products = {
          product_by<&prepare_vector<float>, &prepare_vector<double>>("cublas", PeerColumns::One),
          product_by<&prepare_rows<float>, &prepare_rows<double>>("cublas", PeerColumns::Many),
          product_by<&prepare_columns<float>, &prepare_columns<double>>("cublas/columns",
                                                                        PeerColumns::Many)}};
}

}  // namespace switchyard::command::bench
