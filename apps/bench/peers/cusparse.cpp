// cuSPARSE: products by each of its algorithms for CSR and COO.
#include "cusparse.hpp"

#include <iterator>
#include <type_traits>
#include <vector>

namespace switchyard::command::bench {
namespace cusparse {
namespace {

// cusparseSpMV and cusparseSpMV_preprocess; cusparseSpMV_bufferSize has a size's address instead of
// the buffer.
using Multiply = int(Handle handle, int operation, const void* alpha, Descriptor matrix,
                     Descriptor x, const void* beta, Descriptor y, int type, int algorithm,
                     void* buffer);
using BufferSize = int(Handle handle, int operation, const void* alpha, Descriptor matrix,
                       Descriptor x, const void* beta, Descriptor y, int type, int algorithm,
                       std::size_t* bytes);

/// An algorithm: its number in cusparseSpMVAlg_t, and the form of the matrix that it takes.
struct Algorithm {
  int number;
  bool takes_coo;
};

/// Everything that one product needs, in device memory.
template <Element T, Algorithm algorithm>
struct Product {
  int operation;
  std::conditional_t<algorithm.takes_coo, DeviceCoo<T>, DeviceCsr<T>> a;
  CudaArray x_values;
  CudaArray y_values;
  Owned x;
  Owned y;
  std::optional<CudaArray> buffer = {};
  Multiply* multiply = library().get<Multiply>("cusparseSpMV");

  explicit Product(const PeerProblem<T>& problem)
      : operation(problem.transposed() ? transpose : as_it_is),
        a(NarrowCsr<T>(problem.csr)),
        x_values(problem.x),
        y_values(problem.y_size() * sizeof(T)),
        x(vector_of(std::ssize(problem.x), x_values.data(), cuda_type<T>)),
        y(vector_of(static_cast<std::int64_t>(problem.y_size()), y_values.data(), cuda_type<T>)) {
    std::size_t bytes = 0;
    check(library().get<BufferSize>("cusparseSpMV_bufferSize")(
              handle(), operation, &one, a.descriptor.get(), x.get(), &zero, y.get(), cuda_type<T>,
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
    return function(handle(), operation, &one, a.descriptor.get(), x.get(), &zero, y.get(),
                    cuda_type<T>, algorithm.number, buffer->data());
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
  return {name,
          Format::Csr,
          PeerPlace::Nvidia,
          &prepare<float, algorithm>,
          &prepare<double, algorithm>,
          PeerColumns::One,
          true};
}

/// SpMV by each algorithm and, for many columns, SpMM.
std::vector<Peer> products() {
  std::vector<Peer> all{product_by<Algorithm{0, false}>("cusparse"),
                        product_by<Algorithm{2, false}>("cusparse/alg1"),
                        product_by<Algorithm{3, false}>("cusparse/alg2"),
                        product_by<Algorithm{1, true}>("cusparse/coo1"),
                        product_by<Algorithm{4, true}>("cusparse/coo2")};
  std::ranges::copy(column_products(), std::back_inserter(all));
  return all;
}

}  // namespace

Owned owned(Descriptor descriptor, const char* destroy_name) {
  auto* const destroy = library().get<int(Descriptor)>(destroy_name);
  return {descriptor, [destroy](void* made) { destroy(made); }};
}

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

Owned matrix_of(std::int64_t rows, std::int64_t cols, void* values, int type, int order) {
  using Create = int(Descriptor*, std::int64_t, std::int64_t, std::int64_t, void*, int, int);
  Descriptor made = nullptr;
  check(library().get<Create>("cusparseCreateDnMat")(
            &made, rows, cols, order == row_order ? cols : rows, values, type, order),
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

Owned coo_of(const CooArrays& a, int type) {
  using Create = int(Descriptor*, std::int64_t, std::int64_t, std::int64_t, void*, void*, void*,
                     int, int, int);
  Descriptor made = nullptr;
  check(library().get<Create>("cusparseCreateCoo")(&made, a.rows, a.cols, a.nnz, a.row_indices,
                                                   a.columns, a.values, narrow_index, 0, type),
        "cusparseCreateCoo");
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
          .remark = "preprocessing is not timed; conversions are into memory of before",
          .products = cusparse::products(),
          .conversions = cusparse::conversions()};
}

}  // namespace switchyard::command::bench
