// Eigen: dense products on one thread, CSR products on all, conversions on one.
#include "cblas.hpp"
#include "eigen_kernels.hpp"
#include "narrow_csr.hpp"

namespace switchyard::command::bench {
namespace {

bool can_run() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return true;
#endif
}

template <Element T>
EigenColumns<T> vectors_of(const PeerProblem<T>& problem, std::vector<T>& y) {
  return {problem.x.data(), y.data(), problem.request.columns, problem.transposed()};
}

template <Element T>
PeerProduct<T> prepare_dense(const PeerProblem<T>& problem) {
  const Dense<T>& a = small_dense(problem);
  const auto y = std::make_shared<std::vector<T>>(problem.y_size());
  const EigenDense<T> product{a.values.data(), a.rows, a.cols, vectors_of(problem, *y)};
  return product_into<T>(y, [product] { eigen_multiply(product); });
}

template <Element T>
PeerProduct<T> prepare_csr(const PeerProblem<T>& problem) {
  const NarrowCsr<T> a(problem.csr);
  const auto y = std::make_shared<std::vector<T>>(problem.y_size());
  const EigenCsr<T> product{
      a.rows, a.cols, a.nnz, a.offsets, a.columns, a.values, vectors_of(problem, *y)};
  return product_into<T>(y, [product] { eigen_multiply(product); });
}

template <Element T>
PeerConversion<T> prepare_to_csr(const Storage<T>& matrix) {
  const auto& a = std::get<Dense<T>>(matrix);
  const auto made = std::make_shared<std::shared_ptr<EigenSparse>>();
  const EigenDense<T> source{a.values.data(), a.rows, a.cols};
  const auto convert = [made, source] {
    *made = std::shared_ptr<EigenSparse>(eigen_sparse_view(source), &eigen_delete<T>);
  };
  const auto fetch = [made]() -> Storage<T> {
    const EigenCsr<T> b = eigen_arrays<T>(made->get());
    auto csr = Csr<T>::sized(b.rows, b.cols, b.nnz);
    auto& offsets = std::get<Array<std::int32_t>>(csr.offsets);
    std::copy_n(b.offsets, b.rows + 1, offsets.data());
    std::copy_n(b.columns, b.nnz, csr.columns.data());
    std::copy_n(b.values, b.nnz, csr.values.data());
    return csr;
  };
  return {.call = convert, .fetch = fetch};
}

template <Element T>
PeerConversion<T> prepare_to_dense(const Storage<T>& matrix) {
  const NarrowCsr<T> a(std::get<Csr<T>>(matrix));
  const auto made = std::make_shared<Dense<T>>();
  const EigenCsr<T> source{a.rows, a.cols, a.nnz, a.offsets, a.columns, a.values};
  const auto convert = [made, source] {
    *made = {};
    *made = Dense<T>::sized(source.rows, source.cols);
    eigen_to_dense(source, made->values.data());
  };
  const auto fetch = [made]() -> Storage<T> { return std::move(*made); };
  return {.call = convert, .fetch = fetch};
}

}  // namespace

PeerLibrary eigen_peer() {
  if (!can_run()) throw Error(ErrorCode::Unsupported, "it was compiled for AVX2 and FMA");
  return {.name = "eigen",
          .version = eigen_version(),
          .remark =
              "compiled for AVX2 and FMA; one thread makes its dense products with one vector, and "
              "its sparse ones with the transpose",
          .products = {{"eigen", Format::Dense, PeerPlace::Host, &prepare_dense<float>,
                        &prepare_dense<double>, PeerColumns::Any, true},
                       {"eigen", Format::Csr, PeerPlace::Host, &prepare_csr<float>,
                        &prepare_csr<double>, PeerColumns::Any, true}},
          .conversions = {{"eigen", Format::Dense, Format::Csr, PeerPlace::Host,
                           &prepare_to_csr<float>, &prepare_to_csr<double>},
                          {"eigen", Format::Csr, Format::Dense, PeerPlace::Host,
                           &prepare_to_dense<float>, &prepare_to_dense<double>}}};
}

}  // namespace switchyard::command::bench
