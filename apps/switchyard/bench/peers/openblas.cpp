// OpenBLAS: dense products.
#include <omp.h>

#include "cblas.hpp"

namespace switchyard::command::bench {
namespace {

const DynamicLibrary& library() {
  static const DynamicLibrary loaded{"libopenblas.so.0", "libopenblas.so"};
  return loaded;
}

template <Element T>
PeerProduct<T> prepare(const PeerProblem<T>& problem) {
  static const Cblas functions(library());
  return functions.product(problem);
}

}  // namespace

PeerLibrary openblas_peer() {
  library().get<void(int)>("openblas_set_num_threads")(omp_get_max_threads());
  auto* const config = library().find<const char*()>("openblas_get_config");
  return {.name = "openblas",
          .version = config ? config() : "",
          .products = {
              {"openblas", Format::Dense, PeerPlace::Host, &prepare<float>, &prepare<double>}}};
}

}  // namespace switchyard::command::bench
