// cuBLAS: dense products in device memory.
#include "cblas.hpp"
#include "cuda.hpp"

namespace switchyard::command::bench {
namespace {

// As cublas_api.h has them: a handle is a pointer, scalars are read from the host.
constexpr int transposed = 1;
using Handle = void*;
template <Element T>
using Gemv = int(Handle handle, int operation, std::int64_t rows, std::int64_t cols, const T* alpha,
                 const T* a, std::int64_t lda, const T* x, std::int64_t step_x, const T* beta, T* y,
                 std::int64_t step_y);

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

template <Element T>
PeerProduct<T> prepare(const PeerProblem<T>& problem) {
  const Dense<T>& dense = small_dense(problem);
  const auto a = std::make_shared<CudaArray>(dense.values.span());
  const auto x = std::make_shared<CudaArray>(problem.x);
  const auto y = std::make_shared<CudaArray>(static_cast<std::size_t>(dense.rows) * sizeof(T));
  auto* const gemv =
      library().get<Gemv<T>>(std::same_as<T, float> ? "cublasSgemv_v2_64" : "cublasDgemv_v2_64");
  // Rows here are columns there.
  const auto call = [=, rows = dense.rows, cols = dense.cols] {
    const T one{1};
    const T zero{0};
    check(gemv(handle(), transposed, cols, rows, &one, static_cast<const T*>(a->data()), cols,
               static_cast<const T*>(x->data()), 1, &zero, static_cast<T*>(y->data()), 1),
          "cublas gemv");
  };
  return {.call = call,
          .settle = [] { Cuda::runtime().finish(); },
          .fetch = [y](std::span<T> result) { y->copy_out(result.data()); }};
}

}  // namespace

PeerLibrary cublas_peer() {
  static_cast<void>(Cuda::runtime());
  int version = 0;
  check(library().get<int(Handle, int*)>("cublasGetVersion_v2")(handle(), &version),
        "cublasGetVersion");
  return {.name = "cublas",
          .version = std::to_string(version),
          .products = {
              {"cublas", Format::Dense, PeerPlace::Nvidia, &prepare<float>, &prepare<double>}}};
}

}  // namespace switchyard::command::bench
