// OpenBLAS: dense products.
#include <omp.h>

#include "cblas.hpp"

namespace switchyard::command::bench {
namespace {

const DynamicLibrary& library() {
  static const DynamicLibrary loaded{"libopenblas.so.0", "libopenblas.so"};
  return loaded;
}

}  // namespace

PeerLibrary openblas_peer() {
  library().get<void(int)>("openblas_set_num_threads")(omp_get_max_threads());
  auto* const config = library().find<const char*()>("openblas_get_config");
  return {.name = "openblas",
          .version = config ? config() : "",
          .products = {cblas_peer<library>("openblas")}};
}

}  // namespace switchyard::command::bench
