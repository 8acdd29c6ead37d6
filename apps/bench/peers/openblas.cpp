// OpenBLAS: dense products.
#include <omp.h>

#include <cstdlib>

#include "cblas.hpp"

namespace switchyard::command::bench {
namespace {

/// OpenBLAS knows processors by their model, and takes kernels of 2004 for one that is younger than
/// itself: it is told what this one can do, unless the user has said something.
void name_the_processor() {
#if defined(__x86_64__)
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  const char* const core = has_avx512 ? "SkylakeX" : "Haswell";
  if (has_avx512 || __builtin_cpu_supports("avx2")) setenv("OPENBLAS_CORETYPE", core, 0);
#endif
}

const DynamicLibrary& library() {
  static const DynamicLibrary loaded{"libopenblas.so.0", "libopenblas.so"};
  return loaded;
}

}  // namespace

PeerLibrary openblas_peer() {
  name_the_processor();
  library().get<void(int)>("openblas_set_num_threads")(omp_get_max_threads());
  auto* const config = library().find<const char*()>("openblas_get_config");
  return {.name = "openblas",
          .version = config ? config() : "",
          .products = {cblas_peer<library>("openblas")}};
}

}  // namespace switchyard::command::bench
