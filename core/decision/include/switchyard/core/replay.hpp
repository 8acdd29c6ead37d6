// Replays decisions with recorded costs, without a matrix, hardware or a clock.
#pragma once

#include <switchyard/core/plan.hpp>
#include <vector>

namespace switchyard {

/// The result of a replay.
struct ReplayedRun {
  double seconds = 0;          ///< all calls and moves
  std::vector<State> visited;  ///< the computing states, in the order of their first call
  Index switches = 0;          ///< changes of the computing state
};

/// Simulates `calls` calls with a matrix in the states of `truth.valid`. It decides as `GMatrix`
/// does, by the costs of `predicted`, and counts and learns those of `truth`. A node's
/// `once_seconds` count with its first call. A step that `truth` lacks has its predicted cost.
/// Throws `Error(InvalidArgument)` if `truth` lacks a node of `predicted`, and what `shortest_plan`
/// throws.
[[nodiscard]] ReplayedRun replay(const Yard& predicted, const Yard& truth, Index calls,
                                 bool hinted);

/// The total time of the best fixed state in hindsight: the steps to get there and `calls` calls.
[[nodiscard]] double best_in_hindsight(const Yard& truth, Index calls);

}  // namespace switchyard
