// librsb: CSR products by recursive blocks.
#include "cblas.hpp"
#include "narrow_csr.hpp"

namespace switchyard::command::bench {
namespace {

// As rsb.h and rsb_types.h have them.
constexpr int as_it_is = 0x4E;
using Init = int(void* options);
using AllocateFromCsr = void*(const void* values, const int* offsets, const int* columns, int nnz,
                              char type, int rows, int cols, int block_rows, int block_cols,
                              int flags, int* error);
using Multiply = int(int transposed, const void* alpha, const void* matrix, const void* x,
                     int step_x, const void* beta, void* y, int step_y);

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

template <Element T>
PeerProduct<T> prepare(const PeerProblem<T>& problem) {
  const auto matrix = blocked(NarrowCsr<T>(problem.csr));
  auto* const multiply = library().get<Multiply>("rsb_spmv");
  auto y = std::make_shared<std::vector<T>>(static_cast<std::size_t>(problem.csr.rows));
  return product_into<T>(y, [matrix, multiply, x = problem.x.data(), y] {
    const T one{1};
    const T zero{0};
    const int status = multiply(as_it_is, &one, matrix.get(), x, 1, &zero, y->data(), 1);
    if (status != 0) {
      throw Error(ErrorCode::Unsupported, "rsb_spmv gives " + std::to_string(status));
    }
  });
}

}  // namespace

PeerLibrary librsb_peer() {
  if (library().get<Init>("rsb_lib_init")(nullptr) != 0) {
    throw Error(ErrorCode::Unsupported, "rsb_lib_init fails");
  }
  return {
      .name = "librsb",
      .remark = "its blocking is not timed; not autotuned",
      .products = {{"librsb", Format::Csr, PeerPlace::Host, &prepare<float>, &prepare<double>}}};
}

}  // namespace switchyard::command::bench
