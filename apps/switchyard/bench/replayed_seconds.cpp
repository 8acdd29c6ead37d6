// Planning before every product, and paying.
#include "replayed_seconds.hpp"

#include <algorithm>
#include <set>
#include <switchyard/core/planner.hpp>

namespace switchyard::command::bench {
namespace {

double true_seconds(const Step& move, const Yard& truth) {
  const auto edge = std::ranges::find_if(truth.edges, [&](const YardEdge& other) {
    return other.from == move.from && other.to == move.to && other.kind == move.kind;
  });
  return edge == truth.edges.end() ? move.predicted_seconds : edge->seconds;
}

void add_valid(Yard& yard, State state) {
  if (std::ranges::find(yard.valid, state) == yard.valid.end()) yard.valid.push_back(state);
}

}  // namespace

double replayed_seconds(const Yard& predicted, const Yard& truth, Index calls, bool hinted) {
  Yard yard = predicted;
  std::set<State> used;
  double seconds = 0;
  for (Index made = 0; made < calls; ++made) {
    yard.horizon = hinted ? calls - made : std::max<Index>(made, 1);
    const Plan plan = shortest_plan(yard);
    for (const Step& step : plan.steps) {
      if (step.kind == StepKind::Multiply) continue;
      seconds += true_seconds(step, truth);
      add_valid(yard, step.to);
    }
    const auto node = std::ranges::find(truth.nodes, plan.target(), &YardNode::state);
    const auto known = std::ranges::find(yard.nodes, plan.target(), &YardNode::state);
    seconds += node->multiply_seconds + node->vector_seconds;
    if (used.insert(plan.target()).second) seconds += node->once_seconds;
    known->once_seconds = 0;
  }
  return seconds;
}

}  // namespace switchyard::command::bench
