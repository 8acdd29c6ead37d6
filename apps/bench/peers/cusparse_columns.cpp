// cuSPARSE: products with many columns, by each of its algorithms for CSR and COO, X and Y
// row-major and by columns.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "cusparse.hpp"
#include "order.hpp"

namespace switchyard::command::bench::cusparse {
namespace {

// cusparseSpMM and cusparseSpMM_preprocess; cusparseSpMM_bufferSize has a size's address instead of
// the buffer.
using Multiply = int(Handle handle, int operation_a, int operation_x, const void* alpha,
                     Descriptor a, Descriptor x, const void* beta, Descriptor y, int type,
                     int algorithm, void* buffer);

/// An algorithm: its number in cusparseSpMMAlg_t, the form of the matrix that it takes, and how X
/// and Y are stored.
struct Algorithm {
  int number;
  bool takes_coo;
  bool by_columns;
};

/// Everything that one product needs, in device memory.
template <Element T, Algorithm algorithm>
struct Product {
  static constexpr int order = algorithm.by_columns ? column_order : row_order;
  int operation;
  std::int64_t columns;
  std::conditional_t<algorithm.takes_coo, DeviceCoo<T>, DeviceCsr<T>> a;
  CudaArray x_values;
  CudaArray y_values;
  Owned x;
  Owned y;
  std::optional<CudaArray> buffer = {};

  explicit Product(const PeerProblem<T>& problem)
      : operation(problem.transposed() ? transpose : as_it_is),
        columns(problem.request.columns),
        a(NarrowCsr<T>(problem.csr)),
        x_values(std::span<const T>(algorithm.by_columns
                                        ? exchanged(problem.x, columns)
                                        : std::vector<T>(problem.x.begin(), problem.x.end()))),
        y_values(problem.y_size() * sizeof(T)),
        x(matrix_of(std::ssize(problem.x) / columns, columns, x_values.data(), cuda_type<T>,
                    order)),
        y(matrix_of(static_cast<std::int64_t>(problem.y_size()) / columns, columns, y_values.data(),
                    cuda_type<T>, order)) {
    std::size_t bytes = 0;
    check(run("cusparseSpMM_bufferSize", &bytes), "cusparseSpMM_bufferSize");
    buffer.emplace(bytes);
    // It only prepares, and not every algorithm has it.
    static_cast<void>(run("cusparseSpMM_preprocess", buffer->data()));
  }

  int run(const char* function, void* last) const {
    return run(library().get<Multiply>(function), last);
  }
  int run(Multiply* function, void* last) const {
    return function(handle(), operation, as_it_is, &one, a.descriptor.get(), x.get(), &zero,
                    y.get(), cuda_type<T>, algorithm.number, last);
  }

  void fetch(std::span<T> result) const {
    y_values.copy_out(result.data());
    if (!algorithm.by_columns) return;
    const std::int64_t rows = std::ssize(result) / columns;
    std::ranges::copy(exchanged(std::span<const T>(result), rows), result.begin());
  }

  static constexpr T one{1};
  static constexpr T zero{0};
};

template <Element T, Algorithm algorithm>
PeerProduct<T> prepare(const PeerProblem<T>& problem) {
  const auto product = std::make_shared<Product<T, algorithm>>(problem);
  auto* const multiply = library().get<Multiply>("cusparseSpMM");
  const auto call = [=] { check(product->run(multiply, product->buffer->data()), "cusparseSpMM"); };
  return {.call = call,
          .settle = [] { Cuda::runtime().finish(); },
          .fetch = [product](std::span<T> y) { product->fetch(y); }};
}

template <int number, bool takes_coo, bool by_columns>
Peer product_by(const std::string& name) {
  constexpr Algorithm algorithm{number, takes_coo, by_columns};
  return {name,
          Format::Csr,
          PeerPlace::Nvidia,
          &prepare<float, algorithm>,
          &prepare<double, algorithm>,
          PeerColumns::Many,
          true};
}

/// An algorithm in both orders.
template <int number, bool takes_coo = false>
void add(std::vector<Peer>& all, const std::string& name) {
  all.push_back(product_by<number, takes_coo, false>(name));
  all.push_back(product_by<number, takes_coo, true>(name + "/columns"));
}

}  // namespace

std::vector<Peer> column_products() {
  std::vector<Peer> all;
  add<0>(all, "cusparse");
  add<4>(all, "cusparse/alg1");
  add<6>(all, "cusparse/alg2");
  add<12>(all, "cusparse/alg3");
  add<1, true>(all, "cusparse/coo1");
  add<2, true>(all, "cusparse/coo2");
  add<3, true>(all, "cusparse/coo3");
  add<5, true>(all, "cusparse/coo4");
  return all;
}

}  // namespace switchyard::command::bench::cusparse
