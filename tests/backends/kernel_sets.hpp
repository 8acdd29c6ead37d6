// The host's innermost loops in each instruction set that this processor has.
#pragma once

#include <vector>

namespace switchyard::testing {

/// What the functions make that this processor can run; the best may be one of the others.
template <class Kernels>
std::vector<Kernels> kernel_sets(Kernels (*portable)(), [[maybe_unused]] Kernels (*avx2)(),
                                 const Kernels& best) {
  std::vector<Kernels> sets{portable()};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) sets.push_back(avx2());
#endif
  sets.push_back(best);
  return sets;
}

}  // namespace switchyard::testing
