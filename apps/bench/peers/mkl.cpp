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
constexpr int transpose = 11;
constexpr int row_major = 101;
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
template <Element T>
using MultiplyColumns = int(int operation, T alpha, SparseMatrix matrix,
                            MatrixDescription description, int layout, const T* x, int columns,
                            int ldx, T beta, T* y, int ldy);
using SetHint = int(SparseMatrix matrix, int operation, MatrixDescription description, int calls);
using SetColumnsHint = int(SparseMatrix matrix, int operation, MatrixDescription description,
                           int layout, int columns, int calls);
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

/// Has the library prepare itself for many products of that kind.
void optimize(SparseMatrix matrix, int operation, int columns) {
  constexpr int many = 1000;
  if (columns == 1) {
    check(library().get<SetHint>("mkl_sparse_set_mv_hint")(matrix, operation, {}, many),
          "mkl_sparse_set_mv_hint");
  } else {
    check(library().get<SetColumnsHint>("mkl_sparse_set_mm_hint")(matrix, operation, {}, row_major,
                                                                  columns, many),
          "mkl_sparse_set_mm_hint");
  }
  check(library().get<OfMatrix>("mkl_sparse_optimize")(matrix), "mkl_sparse_optimize");
}

template <Element T>
PeerProduct<T> prepare_csr(const PeerProblem<T>& problem) {
  const auto matrix = sparse_matrix(NarrowCsr<T>(problem.csr));
  const int operation = problem.transposed() ? transpose : non_transpose;
  const auto columns = narrow<int>(problem.request.columns);
  optimize(matrix.get(), operation, columns);
  auto y = std::make_shared<std::vector<T>>(problem.y_size());
  const T* const x = problem.x.data();
  if (columns == 1) {
    auto* const multiply =
        library().get<SparseMultiply<T>>(named<T>("mkl_sparse_s_mv", "mkl_sparse_d_mv"));
    return product_into<T>(y, [=] {
      check(multiply(operation, T{1}, matrix.get(), {}, x, T{0}, y->data()), "mkl_sparse_mv");
    });
  }
  auto* const multiply =
      library().get<MultiplyColumns<T>>(named<T>("mkl_sparse_s_mm", "mkl_sparse_d_mm"));
  return product_into<T>(y, [=] {
    check(multiply(operation, T{1}, matrix.get(), {}, row_major, x, columns, columns, T{0},
                   y->data(), columns),
          "mkl_sparse_mm");
  });
}

}  // namespace

PeerLibrary mkl_peer() {
  library().get<void(int)>("MKL_Set_Num_Threads")(omp_get_max_threads());
  std::array<char, 200> version{};
  if (auto* const ask = library().find<void(char*, int)>("MKL_Get_Version_String")) {
    ask(version.data(), static_cast<int>(version.size()) - 1);
  }
  return {.name = "mkl",
          .version = version.data(),
          .remark = "mkl_sparse_optimize is not timed",
          .products = {{"mkl", Format::Dense, PeerPlace::Host, &prepare_dense<float>,
                        &prepare_dense<double>, PeerColumns::Any, true},
                       {"mkl", Format::Csr, PeerPlace::Host, &prepare_csr<float>,
                        &prepare_csr<double>, PeerColumns::Any, true}}};
}

}  // namespace switchyard::command::bench
