// What OpenBLAS, BLIS and MKL have in common: cblas_?gemv and cblas_?gemm on row-major data.
#pragma once

#include <vector>

#include "dynamic_library.hpp"
#include "peer.hpp"

namespace switchyard::command::bench {

/// The dense data of a problem. Throws `Error(Unsupported)` where it is not there or a size does
/// not fit the 32 bits of these interfaces.
template <Element T>
[[nodiscard]] const Dense<T>& small_dense(const PeerProblem<T>& problem);

/// The functions of one library; enumerations are those of the reference cblas.h.
struct Cblas {
  template <Element T>
  using Gemv = void(int layout, int transposed, int rows, int cols, T alpha, const T* a, int lda,
                    const T* x, int step_x, T beta, T* y, int step_y);
  template <Element T>
  using Gemm = void(int layout, int transposed_a, int transposed_b, int rows, int cols, int inner,
                    T alpha, const T* a, int lda, const T* b, int ldb, T beta, T* c, int ldc);
  Gemv<float>* sgemv = nullptr;
  Gemv<double>* dgemv = nullptr;
  Gemm<float>* sgemm = nullptr;
  Gemm<double>* dgemm = nullptr;

  explicit Cblas(const DynamicLibrary& library)
      : sgemv(library.get<Gemv<float>>("cblas_sgemv")),
        dgemv(library.get<Gemv<double>>("cblas_dgemv")),
        sgemm(library.get<Gemm<float>>("cblas_sgemm")),
        dgemm(library.get<Gemm<double>>("cblas_dgemm")) {}

  /// The product by these functions.
  template <Element T>
  [[nodiscard]] PeerProduct<T> product(const PeerProblem<T>& problem) const;
};

template <const DynamicLibrary& (*library)(), Element T>
[[nodiscard]] PeerProduct<T> cblas_product(const PeerProblem<T>& problem) {
  static const Cblas functions(library());
  return functions.product(problem);
}

/// The dense products of the library that `library` loads.
template <const DynamicLibrary& (*library)()>
[[nodiscard]] Peer cblas_peer(const std::string& name) {
  return {name,
          Format::Dense,
          PeerPlace::Host,
          &cblas_product<library, float>,
          &cblas_product<library, double>,
          PeerColumns::Any,
          true};
}

/// A result on the host, kept by the functions of a product.
template <Element T>
[[nodiscard]] PeerProduct<T> product_into(std::shared_ptr<std::vector<T>> y,
                                          std::function<void()> call);

}  // namespace switchyard::command::bench
