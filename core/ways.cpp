// All cheapest ways at once.
#include "ways.hpp"

#include <algorithm>
#include <limits>

namespace switchyard {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

}  // namespace

Ways::Ways(const Yard& yard) {
  states_.reserve(yard.nodes.size() + 2 * yard.edges.size());
  for (const YardNode& node : yard.nodes) states_.push_back(node.state);
  for (const YardEdge& edge : yard.edges) {
    states_.push_back(edge.from);
    states_.push_back(edge.to);
  }
  std::ranges::sort(states_);
  states_.erase(std::ranges::unique(states_).begin(), states_.end());
  const std::size_t n = states_.size();
  seconds_.assign(n * n, endless);
  for (std::size_t i = 0; i < n; ++i) seconds_[i * n + i] = 0;
  for (const YardEdge& edge : yard.edges) {
    double& seconds = seconds_[place(edge.from) * n + place(edge.to)];
    seconds = std::min(seconds, edge.seconds);
  }
  for (std::size_t by = 0; by < n; ++by) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        seconds_[i * n + j] =
            std::min(seconds_[i * n + j], seconds_[i * n + by] + seconds_[by * n + j]);
      }
    }
  }
}

std::size_t Ways::place(State state) const {
  const auto found = std::ranges::lower_bound(states_, state);
  if (found == states_.end() || *found != state) return states_.size();
  return static_cast<std::size_t>(found - states_.begin());
}

double Ways::between(State from, State to) const {
  if (from == to) return 0;
  const std::size_t n = states_.size();
  const std::size_t i = place(from);
  const std::size_t j = place(to);
  return i < n && j < n ? seconds_[i * n + j] : endless;
}

double Ways::from_any(const std::vector<State>& from, State to) const {
  double least = endless;
  for (const State state : from) least = std::min(least, between(state, to));
  return least;
}

}  // namespace switchyard
