// librsb: CSR products by recursive blocks.
#include "cblas.hpp"
#include "narrow_csr.hpp"

namespace switchyard::command::bench {
namespace {

// As rsb.h and rsb_types.h have them.
constexpr int as_it_is = 0x4E;
constexpr int transposed = 0x54;
constexpr int row_major = 0;
using Init = int(void* options);
using AllocateFromCsr = void*(const void* values, const int* offsets, const int* columns, int nnz,
                              char type, int rows, int cols, int block_rows, int block_cols,
                              int flags, int* error);
using Multiply = int(int transposed, const void* alpha, const void* matrix, const void* x,
                     int step_x, const void* beta, void* y, int step_y);
using MultiplyColumns = int(int transposed, const void* alpha, const void* matrix, int columns,
                            int order, const void* x, int ldx, const void* beta, void* y, int ldy);

const DynamicLibrary& library() {
  static const DynamicLibrary loaded{"librsb.so.0", "librsb.so"};
  return loaded;
}

template <Element T>
std::shared_ptr<void> blocked(const NarrowCsr<T>& a) {
  constexpr char type = std::same_as<T, float> ? 'S' : 'D';
  int error = 0;
  void* const matrix = library().get<AllocateFromCsr>("rsb_mtx_alloc_from_csr_const")(
      a.values, a.offsets, a.columns, a.nnz, type, a.rows, a.cols, 1, 1, 0, &error);
  if (!matrix || error != 0) {
    throw Error(ErrorCode::Unsupported,
                "rsb_mtx_alloc_from_csr_const gives " + std::to_string(error));
  }
  auto* const release = library().get<void*(void*)>("rsb_mtx_free");
  return {matrix, [release](void* made) { release(made); }};
}

void check(int status, const char* what) {
  if (status == 0) return;
  throw Error(ErrorCode::Unsupported, std::string(what) + " gives " + std::to_string(status));
}

template <Element T>
PeerProduct<T> prepare(const PeerProblem<T>& problem) {
  static constexpr T one{1};
  static constexpr T zero{0};
  const auto matrix = blocked(NarrowCsr<T>(problem.csr));
  const int form = problem.transposed() ? transposed : as_it_is;
  const auto columns = narrow<int>(problem.request.columns);
  auto y = std::make_shared<std::vector<T>>(problem.y_size());
  const T* const x = problem.x.data();
  if (columns == 1) {
    auto* const multiply = library().get<Multiply>("rsb_spmv");
    return product_into<T>(y, [=] {
      check(multiply(form, &one, matrix.get(), x, 1, &zero, y->data(), 1), "rsb_spmv");
    });
  }
  auto* const multiply = library().get<MultiplyColumns>("rsb_spmm");
  return product_into<T>(y, [=] {
    check(multiply(form, &one, matrix.get(), columns, row_major, x, columns, &zero, y->data(),
                   columns),
          "rsb_spmm");
  });
}

}  // namespace

PeerLibrary librsb_peer() {
  if (library().get<Init>("rsb_lib_init")(nullptr) != 0) {
    throw Error(ErrorCode::Unsupported, "rsb_lib_init fails");
  }
  return {.name = "librsb",
          .remark = "its blocking is not timed; not autotuned",
          .products = {{"librsb", Format::Csr, PeerPlace::Host, &prepare<float>, &prepare<double>,
                        PeerColumns::Any, true}}};
}

}  // namespace switchyard::command::bench
