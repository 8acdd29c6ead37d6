// Dijkstra's algorithm over the states of a yard, by their numbers.
#include "path_costs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <switchyard/containers/error.hpp>

#include "cost_line.hpp"

namespace switchyard {
namespace {

constexpr PathLength unreachable{endless, 0};

void check_cost(double seconds) {
  if (std::isfinite(seconds) && seconds >= 0) return;
  throw Error(ErrorCode::InvalidArgument, "a cost is negative or not finite", "planner");
}

void check_costs(const Yard& yard) {
  for (const YardEdge& edge : yard.edges) check_cost(edge.seconds);
  for (const YardNode& node : yard.nodes) {
    check_cost(node.once_seconds);
    check_cost(node.multiply_seconds);
    check_cost(node.vector_seconds);
    check_cost(node.seconds(yard.horizon));
  }
}

template <class Function>
void for_each_state(const Yard& yard, Function function) {
  for (const State state : yard.valid) function(state);
  for (const YardNode& node : yard.nodes) function(node.state);
  for (const YardEdge& edge : yard.edges) {
    function(edge.from);
    function(edge.to);
  }
}

}  // namespace

PathCosts::PathCosts(const Yard& yard) {
  check_costs(yard);
  number_states(yard);
  sort_edges(yard);
}

std::size_t PathCosts::place(State state) const noexcept {
  return static_cast<std::size_t>(state.space.index()) * formats_ +
         static_cast<std::size_t>(state.format);
}

void PathCosts::number_states(const Yard& yard) {
  for_each_state(yard, [&](State state) {
    spaces_ = std::max(spaces_, static_cast<std::size_t>(state.space.index()) + 1);
    formats_ = std::max(formats_, static_cast<std::size_t>(state.format) + 1);
  });
  numbers_.assign(spaces_ * formats_, -1);
  for_each_state(yard, [&](State state) { numbers_[place(state)] = 0; });
  std::int32_t next = 0;
  for (std::int32_t& number : numbers_) {
    if (number == 0) number = next++;
  }
  count_ = static_cast<std::size_t>(next);
}

void PathCosts::sort_edges(const Yard& yard) {
  first_arc_.assign(count_ + 1, 0);
  for (const YardEdge& edge : yard.edges) {
    ++first_arc_[static_cast<std::size_t>(numbers_[place(edge.from)])];
  }
  std::size_t end = 0;
  for (std::size_t& first : first_arc_) first = end += first;
  arcs_.resize(yard.edges.size());
  // From the last to the first, so that each state's arcs are in the order of the edges.
  for (std::size_t k = yard.edges.size(); k-- > 0;) {
    const YardEdge& edge = yard.edges[k];
    const auto from = static_cast<std::size_t>(numbers_[place(edge.from)]);
    arcs_[--first_arc_[from]] = {numbers_[place(edge.to)], static_cast<std::int32_t>(k),
                                 edge.seconds};
  }
}

int PathCosts::number(State state) const noexcept {
  const auto space = static_cast<std::size_t>(state.space.index());
  const auto format = static_cast<std::size_t>(state.format);
  return space < spaces_ && format < formats_ ? numbers_[place(state)] : -1;
}

Paths PathCosts::from(std::span<const State> starts) const {
  Paths paths{std::vector<PathLength>(count_, unreachable), std::vector<std::int32_t>(count_, -1)};
  search(starts, paths);
  return paths;
}

Paths PathCosts::from(std::span<const State> starts, const Paths& known) const {
  Paths paths = known;
  search(starts, paths);
  return paths;
}

void PathCosts::search(std::span<const State> starts, Paths& paths) const {
  // Those that may still be extended, the shortest on top; among equals the lower state, so that
  // the same yard always gives the same paths.
  using Entry = std::pair<PathLength, int>;
  std::vector<Entry> open;
  open.reserve(count_);
  const auto reach = [&](int to, PathLength length, std::int32_t edge) {
    PathLength& known = paths.lengths[static_cast<std::size_t>(to)];
    if (!(length < known)) return;
    known = length;
    paths.last_edges[static_cast<std::size_t>(to)] = edge;
    open.emplace_back(length, to);
    std::ranges::push_heap(open, std::greater<>());
  };
  for (const State start : starts) {
    if (const int at = number(start); at >= 0) reach(at, {0, 0}, -1);
  }
  while (!open.empty()) {
    std::ranges::pop_heap(open, std::greater<>());
    const auto [length, at] = open.back();
    open.pop_back();
    const auto from = static_cast<std::size_t>(at);
    if (paths.lengths[from] < length) continue;  // a shorter one was found meanwhile
    for (std::size_t k = first_arc_[from]; k < first_arc_[from + 1]; ++k) {
      const Arc& arc = arcs_[k];
      reach(arc.to, {length.seconds + arc.seconds, length.steps + 1}, arc.edge);
    }
  }
}

double PathCosts::seconds(const Paths& paths, State to) const noexcept {
  const int at = number(to);
  return at < 0 ? endless : paths.lengths[static_cast<std::size_t>(at)].seconds;
}

}  // namespace switchyard
