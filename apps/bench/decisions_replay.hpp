// `bench decisions --replay`: the workloads again, from a recorded cost table.
#pragma once

#include "decisions.hpp"

namespace switchyard::command::bench {

/// Every entry of the table for each of those numbers of calls, hinted and not: what
/// `bench_decisions` finds out about, without its machine. Always the same for the same table.
[[nodiscard]] DecisionResults replay_decisions(const std::vector<CostEntry>& costs,
                                               const std::vector<Index>& all_calls);

}  // namespace switchyard::command::bench
