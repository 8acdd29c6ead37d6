// BLIS: dense products. Its gemv runs on one thread whatever it is told.
#include <omp.h>

#include "cblas.hpp"

namespace switchyard::command::bench {
namespace {

const DynamicLibrary& library() {
  static const DynamicLibrary loaded{"libblis.so.4", "libblis.so.3", "libblis.so"};
  return loaded;
}

}  // namespace

PeerLibrary blis_peer() {
  library().get<void(std::int64_t)>("bli_thread_set_num_threads")(omp_get_max_threads());
  auto* const version = library().find<const char*()>("bli_info_get_version_str");
  return {.name = "blis",
          .version = version ? version() : "",
          .products = {cblas_peer<library>("blis")}};
}

}  // namespace switchyard::command::bench
