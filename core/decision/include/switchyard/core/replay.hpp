// The decisions alone, over recorded costs: no matrix, no hardware, no clock.
#pragma once

#include <switchyard/core/plan.hpp>
#include <vector>

namespace switchyard {

/// What a run of products would have cost.
struct ReplayedRun {
  double seconds = 0;          ///< products and ways together
  std::vector<State> visited;  ///< the states computed in, in the order of the first product there
  Index switches = 0;          ///< times that the state changed
};

/// Makes `calls` products with a matrix that is in the states of `truth.valid`, deciding as
/// `GMatrix` does by the costs of `predicted`, paying those of `truth` and learning them. A node's
/// `once_seconds` are paid with its first product; a switch that `truth` does not have costs what
/// was predicted. Throws `Error(InvalidArgument)` where `truth` lacks a node of `predicted`, and
/// what `shortest_plan` throws.
[[nodiscard]] ReplayedRun replay(const Yard& predicted, const Yard& truth, Index calls,
                                 bool hinted);

/// The cheapest single state in hindsight: the way there and `calls` products.
[[nodiscard]] double best_in_hindsight(const Yard& truth, Index calls);

}  // namespace switchyard
