// What `switchyard bench` prints.
#pragma once

#include "../machine.hpp"
#include "kernels.hpp"

namespace switchyard::command::bench {

/// What was measured; empty where it was not asked for.
struct BenchResults {
  std::vector<KernelCase> kernels = {};
};

[[nodiscard]] Json bench_document(const Laboratory& lab, const Machine& machine,
                                  const BenchResults& results);
[[nodiscard]] std::string bench_text(const Laboratory& lab, const Machine& machine,
                                     const BenchResults& results);

}  // namespace switchyard::command::bench
