// What `switchyard bench` prints.
#pragma once

#include "callers.hpp"
#include "command/machine.hpp"
#include "conversions.hpp"
#include "decisions.hpp"
#include "kernels.hpp"
#include "transfers.hpp"

namespace switchyard::command::bench {

/// What was measured; empty where it was not asked for.
struct BenchResults {
  std::vector<KernelCase> kernels = {};
  std::vector<ConversionCase> conversions = {};
  std::vector<TransferCase> transfers = {};
  DecisionResults decisions = {};
  std::vector<CallersCase> callers = {};
};

[[nodiscard]] Json bench_document(const Laboratory& lab, const Machine& machine,
                                  const BenchResults& results);
[[nodiscard]] std::string bench_text(const Laboratory& lab, const Machine& machine,
                                     const BenchResults& results);

}  // namespace switchyard::command::bench
