// Driving the dispatcher through recorded costs.
#include <algorithm>
#include <switchyard/containers/error.hpp>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/core/dispatcher.hpp>
#include <switchyard/core/replay.hpp>

#include "cost_line.hpp"
#include "path_costs.hpp"

namespace switchyard {
namespace {

void check_same_nodes(const Yard& predicted, const Yard& truth) {
  for (const YardNode& node : predicted.nodes) {
    if (!truth.node(node.state)) {
      throw Error(ErrorCode::InvalidArgument, "what a product costs there is not known",
                  name(node.state));
    }
  }
}

double true_seconds(const Yard& truth, const Step& step) {
  std::optional<double> least;
  for (const YardEdge& edge : truth.edges) {
    if (edge.from != step.from || edge.to != step.to) continue;
    least = std::min(least.value_or(edge.seconds), edge.seconds);
  }
  return least.value_or(step.predicted_seconds);
}

/// One matrix whose products only cost what the table says.
class Run {
 public:
  Run(const Yard& predicted, const Yard& truth) : truth_(truth), yard_(predicted) {
    yard_.valid = truth.valid;
    for (YardNode& node : yard_.nodes) {
      node.model_seconds = node.multiply_seconds;
      node.model_error = node.relative_error;
    }
    dispatcher_.begin(truth.valid);
  }

  [[nodiscard]] ReplayedRun make(Index calls, bool hinted) {
    if (hinted) dispatcher_.expect_calls(calls);
    Index decided_until = 0;
    for (Index call = 0; call < calls; ++call) {
      if (call >= decided_until) {
        const Plan plan = decide();
        decided_until = plan.steps.size() == 1 ? call + plan.holds_for.value_or(calls) : call + 1;
        walk(plan);
      }
      if (multiply()) decided_until = 0;
    }
    return std::move(run_);
  }

 private:
  [[nodiscard]] Plan decide() {
    for (YardNode& node : yard_.nodes) {
      const auto measured = dispatcher_.ledger().cost(node.state, node.variant);
      if (!measured) continue;
      node.multiply_seconds = measured->seconds;
      node.relative_error = measured->relative_error;
      node.measured = true;
    }
    yard_.horizon = dispatcher_.horizon();
    Yard yard = yard_;
    return dispatcher_.decide(std::move(yard));
  }

  void walk(const Plan& plan) {
    dispatcher_.follow(plan);
    for (const Step& step : plan.steps) {
      if (step.kind == StepKind::Multiply) continue;
      const double seconds = true_seconds(truth_, step);
      run_.seconds += seconds;
      dispatcher_.note_move(step, seconds);
      if (!yard_.is_valid(step.to)) yard_.valid.push_back(step.to);
    }
    if (at_ && *at_ != plan.target()) ++run_.switches;
    at_ = plan.target();
  }

  [[nodiscard]] bool multiply() {
    const YardNode& node = *truth_.node(*at_);
    if (std::ranges::find(run_.visited, *at_) == run_.visited.end()) {
      run_.visited.push_back(*at_);
      run_.seconds += node.once_seconds;
      auto& planned = *std::ranges::find(yard_.nodes, *at_, &YardNode::state);
      dispatcher_.note_move({.from = *at_, .to = *at_, .predicted_seconds = planned.once_seconds},
                            node.once_seconds);
      planned.once_seconds = 0;
    }
    run_.seconds += node.multiply_seconds + node.vector_seconds;
    const YardNode& planned = *yard_.node(*at_);
    const bool tried = dispatcher_.note_product(*at_, planned.variant);
    return dispatcher_.note_time(*at_, planned.variant,
                                 {node.multiply_seconds, node.multiply_seconds}) ||
           tried;
  }

  const Yard& truth_;
  Yard yard_;
  Dispatcher dispatcher_;
  std::optional<State> at_;
  ReplayedRun run_;
};

}  // namespace

ReplayedRun replay(const Yard& predicted, const Yard& truth, Index calls, bool hinted) try {
  check_same_nodes(predicted, truth);
  return Run(predicted, truth).make(calls, hinted);
} catch (const std::bad_alloc&) {
  throw_out_of_memory();
}

double best_in_hindsight(const Yard& truth, Index calls) try {
  const PathCosts costs(truth);
  const Paths paths = costs.from(truth.valid);
  double best = endless;
  for (const YardNode& node : truth.nodes) {
    best = std::min(best, costs.seconds(paths, node.state) + node.seconds(calls));
  }
  return best;
} catch (const std::bad_alloc&) {
  throw_out_of_memory();
}

}  // namespace switchyard
