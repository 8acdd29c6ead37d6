// The shortest path to the calls asked for, and what would have changed it.
#include <algorithm>
#include <cmath>
#include <switchyard/containers/error.hpp>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/core/planner.hpp>

#include "cost_line.hpp"
#include "path_costs.hpp"

namespace switchyard {
namespace {

/// A state that can be reached and computed in, with what it costs there in all.
struct Reached {
  const YardNode* node = nullptr;
  PathLength path;

  [[nodiscard]] PathLength total(Index horizon) const {
    return {path.seconds + node->seconds(horizon) + node->companion_seconds, path.steps};
  }
  [[nodiscard]] CostLine line() const {
    return {path.seconds + node->once_seconds + node->companion_seconds, node->seconds_per_call()};
  }
};

std::vector<Reached> reached_nodes(const Yard& yard, const PathCosts& costs, const Paths& paths) {
  std::vector<Reached> reached;
  reached.reserve(yard.nodes.size());
  for (const YardNode& node : yard.nodes) {
    const auto number = static_cast<std::size_t>(costs.number(node.state));
    const PathLength path = paths.lengths[number];
    if (path.seconds < endless) reached.push_back({&node, path});
  }
  return reached;
}

/// Of the states that cost the least, and of those the fewest steps, the lowest. Null where none
/// can be reached.
const Reached* cheapest(const std::vector<Reached>& reached, Index horizon,
                        std::optional<State> only) {
  const Reached* best = nullptr;
  PathLength least;
  for (const Reached& candidate : reached) {
    if (only && candidate.node->state != *only) continue;
    const PathLength total = candidate.total(horizon);
    if (best && total > least) continue;
    if (best && total == least && candidate.node->state > best->node->state) continue;
    best = &candidate;
    least = total;
  }
  return best;
}

Step step_along(const YardEdge& edge) {
  return {.kind = edge.kind,
          .from = edge.from,
          .to = edge.to,
          .predicted_seconds = edge.seconds,
          .bytes = edge.bytes,
          .relative_error = edge.relative_error,
          .extrapolated = edge.extrapolated,
          .built_in = edge.built_in};
}

Step multiply_in(const Yard& yard, const YardNode& node, Index horizon) {
  return {.kind = StepKind::Multiply,
          .request = yard.request,
          .from = node.state,
          .to = node.state,
          .variant = node.variant,
          .calls = horizon,
          .predicted_seconds = node.seconds(horizon),
          .bytes = static_cast<double>(horizon) * node.matrix_bytes,
          .relative_error = node.relative_error,
          .extrapolated = node.extrapolated,
          .price_measured = node.measured,
          .built_in = node.built_in};
}

std::vector<Step> steps_to(const Yard& yard, const PathCosts& costs, const Paths& paths,
                           const YardNode& target) {
  std::vector<Step> steps;
  const auto last_edge = [&](State state) {
    return paths.last_edges[static_cast<std::size_t>(costs.number(state))];
  };
  State at = target.state;
  for (auto k = last_edge(at); k >= 0; k = last_edge(at)) {
    const YardEdge& edge = yard.edges[static_cast<std::size_t>(k)];
    steps.push_back(step_along(edge));
    at = edge.from;
  }
  std::ranges::reverse(steps);
  steps.push_back(multiply_in(yard, target, yard.horizon));
  return steps;
}

/// The fewest calls, more than those planned for, at which `other` undercuts `chosen`.
std::optional<Index> overtaken_from(const CostLine& chosen, const CostLine& other, Index horizon) {
  const double gain = chosen.rate - other.rate;
  if (gain <= rounding * chosen.rate) return std::nullopt;
  const double crossing = std::floor((other.fixed - chosen.fixed) / gain) + 1;
  if (!(crossing < never) || static_cast<double>(horizon) >= never) return std::nullopt;
  return std::max(static_cast<Index>(std::max(crossing, 1.0)), horizon + 1);
}

/// Below how many calls `other` would have been cheaper than `chosen`.
std::optional<Index> undercut_below(const CostLine& chosen, const CostLine& other, Index horizon) {
  const double loss = other.rate - chosen.rate;
  if (loss <= rounding * other.rate) return std::nullopt;
  const double crossing = std::ceil((chosen.fixed - other.fixed) / loss);
  if (crossing <= 1) return std::nullopt;
  // Compared before it is converted: it may be more than any Index.
  return crossing < static_cast<double>(horizon) ? static_cast<Index>(crossing) : horizon;
}

/// The cheapest at so many calls of all but `chosen`.
State cheapest_at(Index calls, const std::vector<Reached>& reached, const Reached& chosen) {
  std::optional<State> best;
  double least = endless;
  for (const Reached& other : reached) {
    const double total = other.line().at(static_cast<double>(calls));
    if (&other == &chosen || (best && !(total < least))) continue;
    best = other.node->state;
    least = total;
  }
  return best.value_or(chosen.node->state);
}

void find_turning_points(Plan& plan, const Reached& chosen, const std::vector<Reached>& reached) {
  const CostLine line = chosen.line();
  for (const Reached& other : reached) {
    if (const auto calls = overtaken_from(line, other.line(), plan.yard.horizon)) {
      plan.changes_from = std::min(plan.changes_from.value_or(*calls), *calls);
    }
    if (const auto calls = undercut_below(line, other.line(), plan.yard.horizon)) {
      plan.changes_below = std::max(plan.changes_below.value_or(*calls), *calls);
    }
  }
  if (plan.changes_from) plan.changes_from_state = cheapest_at(*plan.changes_from, reached, chosen);
  if (plan.changes_below) {
    plan.changes_below_state = cheapest_at(*plan.changes_below - 1, reached, chosen);
  }
}

}  // namespace

Plan shortest_plan(Yard yard, std::optional<State> only) try {
  Plan plan;
  plan.yard = std::move(yard);
  const PathCosts costs(plan.yard);
  const Paths paths = costs.from(plan.yard.valid);
  const std::vector<Reached> reached = reached_nodes(plan.yard, costs, paths);
  const Reached* const chosen = cheapest(reached, plan.yard.horizon, only);
  if (!chosen) {
    throw Error(ErrorCode::DeviceUnavailable,
                "no state with a known multiplication can be reached from where the matrix is",
                "planner");
  }
  plan.steps = steps_to(plan.yard, costs, paths, *chosen->node);
  for (const Step& step : plan.steps) plan.predicted_seconds += step.predicted_seconds;
  plan.predicted_seconds += chosen->node->companion_seconds;
  plan.alternatives.reserve(reached.size());
  for (const Reached& other : reached) {
    if (&other == chosen) continue;
    plan.alternatives.push_back({other.node->state, other.total(plan.yard.horizon).seconds});
  }
  std::ranges::stable_sort(plan.alternatives, {}, &Alternative::predicted_seconds);
  find_turning_points(plan, *chosen, reached);
  return plan;
} catch (const std::bad_alloc&) {
  throw_out_of_memory();
}

}  // namespace switchyard
