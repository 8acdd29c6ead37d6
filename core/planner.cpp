// The shortest path from SOURCE to SINK, and what would have changed it.
#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/core/planner.hpp>

// Boost.Graph's headers are heavy; this is the only file that includes them.
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths_no_color_map.hpp>

namespace switchyard {
namespace {

/// A length on the graph: seconds first, then steps, so that ties go to the shorter route.
struct Length {
  double seconds = 0;
  int steps = 0;
  auto operator<=>(const Length&) const = default;
  friend Length operator+(const Length& a, const Length& b) {
    return {a.seconds + b.seconds, a.steps + b.steps};
  }
};
constexpr Length unreachable{std::numeric_limits<double>::infinity(),
                             std::numeric_limits<int>::max() / 2};

struct Arc {
  Length length;
};
using Graph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Arc>;
using Vertex = Graph::vertex_descriptor;

void check_cost(double seconds) {
  if (std::isfinite(seconds) && seconds >= 0) return;
  throw Error(ErrorCode::InvalidArgument, "a cost is negative or not finite", "planner");
}

/// The states as vertices 0, 1, ... in ascending order, then SOURCE and SINK.
struct YardGraph {
  YardGraph(const Yard& yard, std::optional<State> only);

  [[nodiscard]] Vertex vertex(State state) const {
    const auto place = std::ranges::lower_bound(states, state);
    return static_cast<Vertex>(place - states.begin());
  }
  void add_edge(Vertex from, Vertex to, Length length) {
    boost::add_edge(from, to, Arc{length}, graph);
  }

  std::vector<State> states;
  Vertex source;
  Vertex sink;
  Graph graph;
};

std::vector<State> all_states(const Yard& yard) {
  std::vector<State> states = yard.valid;
  for (const YardNode& node : yard.nodes) states.push_back(node.state);
  for (const YardEdge& edge : yard.edges) {
    states.push_back(edge.from);
    states.push_back(edge.to);
  }
  std::ranges::sort(states);
  states.erase(std::ranges::unique(states).begin(), states.end());
  return states;
}

YardGraph::YardGraph(const Yard& yard, std::optional<State> only)
    : states(all_states(yard)),
      source(states.size()),
      sink(states.size() + 1),
      graph(states.size() + 2) {
  for (const State state : yard.valid) add_edge(source, vertex(state), {0, 0});
  for (const YardEdge& edge : yard.edges) {
    check_cost(edge.seconds);
    add_edge(vertex(edge.from), vertex(edge.to), {edge.seconds, 1});
  }
  for (const YardNode& node : yard.nodes) {
    for (const double seconds : {node.once_seconds, node.multiply_seconds, node.vector_seconds,
                                 node.seconds(yard.horizon)}) {
      check_cost(seconds);
    }
    if (only && node.state != *only) continue;
    add_edge(vertex(node.state), sink, {node.seconds(yard.horizon), 1});
  }
}

struct Routes {
  std::vector<Length> lengths;
  std::vector<Vertex> predecessors;
};

Routes dijkstra(const YardGraph& yard) {
  Routes routes;
  routes.lengths.resize(boost::num_vertices(yard.graph));
  routes.predecessors.resize(boost::num_vertices(yard.graph));
  boost::dijkstra_shortest_paths_no_color_map(yard.graph, yard.source,
                                              boost::predecessor_map(routes.predecessors.data())
                                                  .distance_map(routes.lengths.data())
                                                  .weight_map(boost::get(&Arc::length, yard.graph))
                                                  .distance_compare(std::less<Length>())
                                                  .distance_combine(std::plus<Length>())
                                                  .distance_inf(unreachable)
                                                  .distance_zero(Length{}));
  return routes;
}

/// Of the states that cost the least, and of those the fewest steps, the lowest: Dijkstra's
/// algorithm keeps whichever it met first. REQUIRES: SINK can be reached.
Vertex cheapest_target(const Yard& yard, const YardGraph& graph, const Routes& routes,
                       std::optional<State> only) {
  Vertex lowest = graph.source;
  for (const YardNode& node : yard.nodes) {
    if (only && node.state != *only) continue;
    const Vertex vertex = graph.vertex(node.state);
    const Length total = routes.lengths[vertex] + Length{node.seconds(yard.horizon), 1};
    if (total == routes.lengths[graph.sink]) lowest = std::min(lowest, vertex);
  }
  return lowest;
}

const YardNode& node_of(const Yard& yard, State state) {
  return *std::ranges::find(yard.nodes, state, &YardNode::state);
}

/// The cheapest edge between two states, as Dijkstra took it.
const YardEdge& edge_between(const Yard& yard, State from, State to) {
  const YardEdge* best = nullptr;
  for (const YardEdge& edge : yard.edges) {
    if (edge.from != from || edge.to != to) continue;
    if (!best || edge.seconds < best->seconds) best = &edge;
  }
  return *best;
}

std::vector<Step> steps_to(const Yard& yard, const YardGraph& graph, const Routes& routes,
                           Vertex target) {
  std::vector<Step> steps;
  for (Vertex at = target; routes.predecessors[at] != graph.source;) {
    const Vertex before = routes.predecessors[at];
    const YardEdge& edge = edge_between(yard, graph.states[before], graph.states[at]);
    steps.push_back({.kind = edge.kind,
                     .from = edge.from,
                     .to = edge.to,
                     .predicted_seconds = edge.seconds,
                     .bytes = edge.bytes,
                     .relative_error = edge.relative_error,
                     .extrapolated = edge.extrapolated});
    at = before;
  }
  std::ranges::reverse(steps);
  const YardNode& node = node_of(yard, graph.states[target]);
  steps.push_back({.kind = StepKind::Multiply,
                   .from = node.state,
                   .to = node.state,
                   .variant = node.variant,
                   .calls = yard.horizon,
                   .predicted_seconds = node.seconds(yard.horizon),
                   .bytes = static_cast<double>(yard.horizon) * node.matrix_bytes,
                   .relative_error = node.relative_error,
                   .extrapolated = node.extrapolated,
                   .price_measured = node.measured});
  return steps;
}

/// What a state costs as a function of the horizon: fixed + horizon x per_call.
struct CostLine {
  State state;
  double fixed = 0;
  double per_call = 0;

  [[nodiscard]] double at(Index calls) const {
    return fixed + static_cast<double>(calls) * per_call;
  }
};

/// Beyond so many calls a difference per call is no more than rounding.
constexpr double never = 1e12;

/// The same costs, added up in another order, differ by less than this share of them.
constexpr double rounding = 1e-12;

/// The fewest calls, beyond those planned for, at which `other` undercuts `chosen`.
std::optional<Index> overtaken_from(const CostLine& chosen, const CostLine& other, Index horizon) {
  const double gain = chosen.per_call - other.per_call;
  if (gain <= rounding * chosen.per_call) return std::nullopt;
  const double crossing = std::floor((other.fixed - chosen.fixed) / gain) + 1;
  if (!(crossing < never)) return std::nullopt;
  return std::max(static_cast<Index>(crossing), horizon + 1);
}

/// Below how many calls `other` would have been cheaper than `chosen`.
std::optional<Index> undercut_below(const CostLine& chosen, const CostLine& other, Index horizon) {
  const double loss = other.per_call - chosen.per_call;
  if (loss <= rounding * other.per_call) return std::nullopt;
  const double crossing = std::ceil((chosen.fixed - other.fixed) / loss);
  if (crossing <= 1) return std::nullopt;
  return std::min(static_cast<Index>(crossing), horizon);
}

/// The cheapest at so many calls.
State cheapest_at(Index calls, const std::vector<CostLine>& lines) {
  return std::ranges::min_element(lines, {}, [&](const CostLine& line) { return line.at(calls); })
      ->state;
}

void find_turning_points(Plan& plan, const CostLine& chosen, const std::vector<CostLine>& others) {
  for (const CostLine& other : others) {
    if (const auto calls = overtaken_from(chosen, other, plan.yard.horizon)) {
      plan.changes_from = std::min(plan.changes_from.value_or(*calls), *calls);
    }
    if (const auto calls = undercut_below(chosen, other, plan.yard.horizon)) {
      plan.changes_below = std::max(plan.changes_below.value_or(*calls), *calls);
    }
  }
  if (plan.changes_from) plan.changes_from_state = cheapest_at(*plan.changes_from, others);
  if (plan.changes_below) plan.changes_below_state = cheapest_at(*plan.changes_below - 1, others);
}

}  // namespace

Plan shortest_plan(Yard yard, std::optional<State> only) try {
  const YardGraph graph(yard, only);
  const Routes routes = dijkstra(graph);
  if (!(routes.lengths[graph.sink] < unreachable)) {
    throw Error(ErrorCode::DeviceUnavailable,
                "no state can be computed in from where the matrix is", "planner");
  }
  const Vertex target = cheapest_target(yard, graph, routes, only);

  Plan plan;
  plan.steps = steps_to(yard, graph, routes, target);
  for (const Step& step : plan.steps) plan.predicted_seconds += step.predicted_seconds;

  CostLine chosen;
  std::vector<CostLine> others;
  for (const YardNode& node : yard.nodes) {
    const Length& way = routes.lengths[graph.vertex(node.state)];
    if (!(way < unreachable)) continue;
    const CostLine line{node.state, way.seconds + node.once_seconds,
                        node.multiply_seconds + node.vector_seconds};
    if (graph.vertex(node.state) == target) {
      chosen = line;
    } else {
      others.push_back(line);
      plan.alternatives.push_back({node.state, way.seconds + node.seconds(yard.horizon)});
    }
  }
  std::ranges::stable_sort(plan.alternatives, {}, &Alternative::predicted_seconds);
  plan.yard = std::move(yard);
  find_turning_points(plan, chosen, others);
  return plan;
} catch (const std::bad_alloc&) {
  throw_out_of_memory();
}

}  // namespace switchyard
