// Small graphs with many ties, and their paths by brute force.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>
#include <switchyard/core/plan.hpp>

namespace switchyard::testing {

/// A yard of up to eight states with whole microseconds as costs, so that ties are frequent. Of
/// full size from the first sample on: small ranges begin with zero alone, and no such yard has a
/// node.
inline rc::Gen<Yard> any_yard() {
  const auto yard = rc::gen::exec([] {
    const int states = *rc::gen::inRange(1, 9);
    const auto state = [](int i) {
      const Space space = i < 2 ? Space::host() : Space::device(i / 2 - 1);
      return State{space, static_cast<Format>(i % 2)};
    };
    const auto cost = [] { return *rc::gen::inRange(0, 20) * 1e-6; };
    Yard yard;
    yard.horizon = *rc::gen::element(1, 2, 10, 1000);
    yard.valid = {state(*rc::gen::inRange(0, states))};
    for (int i = 0; i < states; ++i) {
      if (*rc::gen::inRange(0, 5) > 0) {
        yard.nodes.push_back({.state = state(i),
                              .multiply_seconds = cost(),
                              .vector_seconds = cost(),
                              .once_seconds = cost()});
      }
      for (int j = 0; j < states; ++j) {
        if (i != j && *rc::gen::inRange(0, 3) > 0) {
          yard.edges.push_back({state(i), state(j), StepKind::Convert, cost()});
        }
      }
    }
    return yard;
  });
  return rc::gen::resize(rc::kNominalSize, yard);
}

/// The cheapest way from any of `starts` to each state that can be reached, by relaxing every edge
/// again and again.
inline std::map<State, double> cheapest_ways(const Yard& yard, const std::set<State>& starts) {
  std::map<State, double> way;
  for (const State state : starts) way[state] = 0;
  for (std::size_t round = 0; round <= yard.edges.size(); ++round) {
    for (const YardEdge& edge : yard.edges) {
      if (!way.contains(edge.from)) continue;
      const double through = way[edge.from] + edge.seconds;
      const auto [place, fresh] = way.try_emplace(edge.to, through);
      if (!fresh) place->second = std::min(place->second, through);
    }
  }
  return way;
}

}  // namespace switchyard::testing
