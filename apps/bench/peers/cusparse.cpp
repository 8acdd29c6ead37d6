// cuSPARSE: CSR products by each of its algorithms.
#include "cusparse.hpp"

namespace switchyard::command::bench {
namespace cusparse {
namespace {

using Destroy = int(Descriptor descriptor);

Owned owned(Descriptor descriptor, const char* destroy_name) {
  auto* const destroy = library().get<Destroy>(destroy_name);
  return {descriptor, [destroy](void* made) { destroy(made); }};
}

// cusparseSpMV and cusparseSpMV_preprocess; cusparseSpMV_bufferSize has a size's address instead of
// the buffer.
using Multiply = int(Handle handle, int operation, const void* alpha, Descriptor matrix,
                     Descriptor x, const void* beta, Descriptor y, int type, int algorithm,
                     void* buffer);
using BufferSize = int(Handle handle, int operation, const void* alpha, Descriptor matrix,
                       Descriptor x, const void* beta, Descriptor y, int type, int algorithm,
                       std::size_t* bytes);

/// Everything that one product needs, in device memory.
template <Element T>
struct Product {
  DeviceCsr<T> a;
  CudaArray x_values;
  CudaArray y_values;
  Owned x;
  Owned y;
  int algorithm;
  std::optional<CudaArray> buffer = {};
  Multiply* multiply = library().get<Multiply>("cusparseSpMV");

  Product(const PeerProblem<T>& problem, int with_algorithm)
      : a(NarrowCsr<T>(problem.csr)),
        x_values(problem.x),
        y_values(static_cast<std::size_t>(problem.csr.rows) * sizeof(T)),
        x(vector_of(problem.csr.cols, x_values.data(), cuda_type<T>)),
        y(vector_of(problem.csr.rows, y_values.data(), cuda_type<T>)),
        algorithm(with_algorithm) {
    std::size_t bytes = 0;
    check(library().get<BufferSize>("cusparseSpMV_bufferSize")(
              handle(), 0, &one, a.descriptor.get(), x.get(), &zero, y.get(), cuda_type<T>,
              algorithm, &bytes),
          "cusparseSpMV_bufferSize");
    buffer.emplace(bytes);
    if (auto* const preprocess = library().find<Multiply>("cusparseSpMV_preprocess")) {
      call(preprocess, "cusparseSpMV_preprocess");
    }
  }

  void call(Multiply* function, const char* what) const {
    check(function(handle(), 0, &one, a.descriptor.get(), x.get(), &zero, y.get(), cuda_type<T>,
                   algorithm, buffer->data()),
          what);
  }

  static constexpr T one{1};
  static constexpr T zero{0};
};

template <Element T, int algorithm>
PeerProduct<T> prepare(const PeerProblem<T>& problem) {
  const auto product = std::make_shared<Product<T>>(problem, algorithm);
  return {.call = [product] { product->call(product->multiply, "cusparseSpMV"); },
          .settle = [] { Cuda::runtime().finish(); },
          .fetch = [product](std::span<T> y) { product->y_values.copy_out(y.data()); }};
}

template <int algorithm>
Peer product_by(const std::string& name) {
  return {name, Format::Csr, PeerPlace::Nvidia, &prepare<float, algorithm>,
          &prepare<double, algorithm>};
}

}  // namespace

const DynamicLibrary& library() {
  static const DynamicLibrary loaded{"libcusparse.so.12", "libcusparse.so.13", "libcusparse.so"};
  return loaded;
}

void check(int status, const char* what) {
  if (status == 0) return;
  throw Error(ErrorCode::Unsupported, std::string(what) + " gives " + std::to_string(status));
}

Handle handle() {
  static const Handle made = [] {
    Handle created = nullptr;
    check(library().get<int(Handle*)>("cusparseCreate")(&created), "cusparseCreate");
    return created;
  }();
  return made;
}

Owned vector_of(std::int64_t size, void* values, int type) {
  Descriptor made = nullptr;
  check(library().get<int(Descriptor*, std::int64_t, void*, int)>("cusparseCreateDnVec")(
            &made, size, values, type),
        "cusparseCreateDnVec");
  return owned(made, "cusparseDestroyDnVec");
}

Owned row_major(std::int64_t rows, std::int64_t cols, void* values, int type) {
  using Create = int(Descriptor*, std::int64_t, std::int64_t, std::int64_t, void*, int, int);
  Descriptor made = nullptr;
  check(library().get<Create>("cusparseCreateDnMat")(&made, rows, cols, cols, values, type,
                                                     row_order),
        "cusparseCreateDnMat");
  return owned(made, "cusparseDestroyDnMat");
}

Owned csr_of(const CsrArrays& a, int type) {
  using Create = int(Descriptor*, std::int64_t, std::int64_t, std::int64_t, void*, void*, void*,
                     int, int, int, int);
  Descriptor made = nullptr;
  check(
      library().get<Create>("cusparseCreateCsr")(&made, a.rows, a.cols, a.nnz, a.offsets, a.columns,
                                                 a.values, narrow_index, narrow_index, 0, type),
      "cusparseCreateCsr");
  return owned(made, "cusparseDestroySpMat");
}

}  // namespace cusparse

PeerLibrary cusparse_peer() {
  static_cast<void>(Cuda::runtime());
  int version = 0;
  cusparse::check(
      cusparse::library().get<int(void*, int*)>("cusparseGetVersion")(cusparse::handle(), &version),
      "cusparseGetVersion");
  return {
      .name = "cusparse",
      .version = std::to_string(version),
      .remark = "cusparseSpMV_preprocess is not timed; conversions are into memory of before",
      .products = {cusparse::product_by<0>("cusparse"), cusparse::product_by<2>("cusparse/alg1"),
                   cusparse::product_by<3>("cusparse/alg2")},
      .conversions = cusparse::conversions()};
}

}  // namespace switchyard::command::bench
