// cuSPARSE: products by each of its algorithms for CSR and COO.
#include "cusparse.hpp"

#include <type_traits>
#include <vector>

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

/// A matrix in coordinate form, sorted by row, copied to the device, and its descriptor.
template <Element T>
struct DeviceCoo {
  CudaArray row_indices;
  CudaArray columns;
  CudaArray values;
  Owned descriptor;

  explicit DeviceCoo(const NarrowCsr<T>& a)
      : row_indices(std::span<const std::int32_t>(row_of_each(a))),
        columns(std::span(a.columns, static_cast<std::size_t>(a.nnz))),
        values(std::span(a.values, static_cast<std::size_t>(a.nnz))),
        descriptor(coo_of(a)) {}

 private:
  static std::vector<std::int32_t> row_of_each(const NarrowCsr<T>& a) {
    std::vector<std::int32_t> rows;
    rows.reserve(static_cast<std::size_t>(a.nnz));
    for (std::int32_t i = 0; i < a.rows; ++i) {
      rows.insert(rows.end(), static_cast<std::size_t>(a.offsets[i + 1] - a.offsets[i]), i);
    }
    return rows;
  }

  [[nodiscard]] Owned coo_of(const NarrowCsr<T>& a) const {
    using Create = int(Descriptor*, std::int64_t, std::int64_t, std::int64_t, void*, void*, void*,
                       int, int, int);
    Descriptor made = nullptr;
    check(library().get<Create>("cusparseCreateCoo")(&made, a.rows, a.cols, a.nnz,
                                                     row_indices.data(), columns.data(),
                                                     values.data(), narrow_index, 0, cuda_type<T>),
          "cusparseCreateCoo");
    return owned(made, "cusparseDestroySpMat");
  }
};

/// An algorithm: its number in cusparseSpMVAlg_t, and the form of the matrix that it takes.
struct Algorithm {
  int number;
  bool takes_coo;
};

/// Everything that one product needs, in device memory.
template <Element T, Algorithm algorithm>
struct Product {
  std::conditional_t<algorithm.takes_coo, DeviceCoo<T>, DeviceCsr<T>> a;
  CudaArray x_values;
  CudaArray y_values;
  Owned x;
  Owned y;
  std::optional<CudaArray> buffer = {};
  Multiply* multiply = library().get<Multiply>("cusparseSpMV");

  explicit Product(const PeerProblem<T>& problem)
      : a(NarrowCsr<T>(problem.csr)),
        x_values(problem.x),
        y_values(static_cast<std::size_t>(problem.csr.rows) * sizeof(T)),
        x(vector_of(problem.csr.cols, x_values.data(), cuda_type<T>)),
        y(vector_of(problem.csr.rows, y_values.data(), cuda_type<T>)) {
    std::size_t bytes = 0;
    check(library().get<BufferSize>("cusparseSpMV_bufferSize")(
              handle(), 0, &one, a.descriptor.get(), x.get(), &zero, y.get(), cuda_type<T>,
              algorithm.number, &bytes),
          "cusparseSpMV_bufferSize");
    buffer.emplace(bytes);
    if (auto* const preprocess = library().find<Multiply>("cusparseSpMV_preprocess")) {
      const int status = run(preprocess);
      // It only prepares: without it, COO is multiplied all the same.
      if (!algorithm.takes_coo) check(status, "cusparseSpMV_preprocess");
    }
  }

  void call() const { check(run(multiply), "cusparseSpMV"); }

  int run(Multiply* function) const {
    return function(handle(), 0, &one, a.descriptor.get(), x.get(), &zero, y.get(), cuda_type<T>,
                    algorithm.number, buffer->data());
  }

  static constexpr T one{1};
  static constexpr T zero{0};
};

template <Element T, Algorithm algorithm>
PeerProduct<T> prepare(const PeerProblem<T>& problem) {
  const auto product = std::make_shared<Product<T, algorithm>>(problem);
  return {.call = [product] { product->call(); },
          .settle = [] { Cuda::runtime().finish(); },
          .fetch = [product](std::span<T> y) { product->y_values.copy_out(y.data()); }};
}

/// The matrix is given in CSR, so the products in COO are compared with those in CSR.
template <Algorithm algorithm>
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
  return {.name = "cusparse",
          .version = std::to_string(version),
          .remark = "cusparseSpMV_preprocess is not timed; conversions are into memory of before",
          .products = {cusparse::product_by<cusparse::Algorithm{0, false}>("cusparse"),
                       cusparse::product_by<cusparse::Algorithm{2, false}>("cusparse/alg1"),
                       cusparse::product_by<cusparse::Algorithm{3, false}>("cusparse/alg2"),
                       cusparse::product_by<cusparse::Algorithm{1, true}>("cusparse/coo1"),
                       cusparse::product_by<cusparse::Algorithm{4, true}>("cusparse/coo2")},
          .conversions = cusparse::conversions()};
}

}  // namespace switchyard::command::bench
