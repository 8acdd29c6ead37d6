// oneMKL: dense products, and CSR products by its inspector and executor.
#include <omp.h>

#include <array>
#include <cstdlib>

#include "cblas.hpp"
#include "narrow_csr.hpp"

namespace switchyard::command::bench {
namespace {

// As mkl_spblas.h has them; integers have 32 bits (LP64).
constexpr int non_transpose = 10;
struct MatrixDescription {
  int type = 20;      // general
  int mode = 40;      // of triangles only
  int diagonal = 50;  // the same
};
using SparseMatrix = void*;
template <Element T>
using CreateCsr = int(SparseMatrix* matrix, int index_base, int rows, int cols, int* row_start,
                      int* row_end, int* columns, T* values);
template <Element T>
using SparseMultiply = int(int operation, T alpha, SparseMatrix matrix,
                           MatrixDescription description, const T* x, T beta, T* y);
using SetHint = int(SparseMatrix matrix, int operation, MatrixDescription description, int calls);
using OfMatrix = int(SparseMatrix matrix);

const DynamicLibrary& library() {
  static const DynamicLibrary loaded = [] {
    // The same threads as everyone else here; asked for before it is loaded.
    setenv("MKL_THREADING_LAYER", "GNU", 0);
    setenv("MKL_INTERFACE_LAYER", "LP64", 0);
    return DynamicLibrary{"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1", "libmkl_rt.so"};
  }();
  return loaded;
}

void check(int status, const char* what) {
  if (status == 0) return;
  throw Error(ErrorCode::Unsupported, std::string(what) + " gives " + std::to_string(status));
}

template <Element T>
const char* named(const char* for_float, const char* for_double) {
  return std::same_as<T, float> ? for_float : for_double;
}

template <Element T>
PeerProduct<T> prepare_dense(const PeerProblem<T>& problem) {
  static const Cblas functions(library());
  return functions.product(problem);
}

/// The library's handle; it refers to the arrays of the problem.
template <Element T>
std::shared_ptr<void> sparse_matrix(const NarrowCsr<T>& a) {
  auto* const create =
      library().get<CreateCsr<T>>(named<T>("mkl_sparse_s_create_csr", "mkl_sparse_d_create_csr"));
  SparseMatrix matrix = nullptr;
  auto* const offsets = const_cast<int*>(a.offsets);
  check(create(&matrix, 0, a.rows, a.cols, offsets, offsets + 1, const_cast<int*>(a.columns),
               const_cast<T*>(a.values)),
        "mkl_sparse_create_csr");
  auto* const destroy = library().get<OfMatrix>("mkl_sparse_destroy");
  return {matrix, [destroy](void* made) { destroy(made); }};
}

template <Element T>
PeerProduct<T> prepare_csr(const PeerProblem<T>& problem) {
  constexpr int many = 1000;
  const auto matrix = sparse_matrix(NarrowCsr<T>(problem.csr));
  check(library().get<SetHint>("mkl_sparse_set_mv_hint")(matrix.get(), non_transpose, {}, many),
        "mkl_sparse_set_mv_hint");
  check(library().get<OfMatrix>("mkl_sparse_optimize")(matrix.get()), "mkl_sparse_optimize");
  auto* const multiply =
      library().get<SparseMultiply<T>>(named<T>("mkl_sparse_s_mv", "mkl_sparse_d_mv"));
  auto y = std::make_shared<std::vector<T>>(static_cast<std::size_t>(problem.csr.rows));
  return product_into<T>(y, [matrix, multiply, x = problem.x.data(), y] {
    check(multiply(non_transpose, T{1}, matrix.get(), {}, x, T{0}, y->data()), "mkl_sparse_mv");
  });
}

}  // namespace

PeerLibrary mkl_peer() {
  library().get<void(int)>("MKL_Set_Num_Threads")(omp_get_max_threads());
  std::array<char, 200> version{};
  if (auto* const ask = library().find<void(char*, int)>("MKL_Get_Version_String")) {
    ask(version.data(), static_cast<int>(version.size()) - 1);
  }
  return {
      .name = "mkl",
      .version = version.data(),
      .remark = "mkl_sparse_optimize is not timed",
      .products = {
          {"mkl", Format::Dense, PeerPlace::Host, &prepare_dense<float>, &prepare_dense<double>},
          {"mkl", Format::Csr, PeerPlace::Host, &prepare_csr<float>, &prepare_csr<double>}}};
}

}  // namespace switchyard::command::bench
