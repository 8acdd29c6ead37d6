// Graphs of costs to plan on, and an adversary's tools.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <switchyard/containers/error.hpp>
#include <switchyard/core/planner.hpp>
#include <switchyard/core/policy.hpp>
#include <vector>

namespace switchyard::testing {

/// The k-th state there could be.
inline State nth_state(int k) {
  const Space space = k < 2 ? Space::host() : Space::device(k / 2 - 1);
  return {space, k % 2 == 0 ? Format::Dense : Format::Csr};
}

/// States of these costs, each reached from the first, where the matrix is, at those prices.
inline Yard complete_yard(const std::vector<double>& costs, const std::vector<double>& ways) {
  Yard yard;
  yard.valid = {nth_state(0)};
  for (std::size_t k = 0; k < costs.size(); ++k) {
    yard.nodes.push_back({.state = nth_state(static_cast<int>(k)), .multiply_seconds = costs[k]});
    if (k == 0) continue;
    yard.edges.push_back(
        {nth_state(0), nth_state(static_cast<int>(k)), StepKind::Transfer, ways[k]});
  }
  return yard;
}

/// Costs and ways over three and four orders of magnitude, between all pairs of states.
inline Yard random_yard(int states, std::mt19937_64& engine) {
  std::uniform_real_distribution<double> share(0, 1);
  Yard yard;
  yard.valid = {nth_state(0)};
  for (int i = 0; i < states; ++i) {
    yard.nodes.push_back(
        {.state = nth_state(i), .multiply_seconds = std::pow(10, 3 * share(engine) - 1.5)});
    for (int j = 0; j < states; ++j) {
      if (i == j) continue;
      yard.edges.push_back(
          {nth_state(i), nth_state(j), StepKind::Transfer, std::pow(10, 3 * share(engine))});
    }
  }
  return yard;
}

/// The same with a few costs changed by up to a factor of two or so.
inline Yard varied(Yard yard, std::mt19937_64& engine) {
  std::uniform_real_distribution<double> share(0, 1);
  const auto factor = [&] { return std::exp(2 * share(engine) - 1); };
  for (int k = 0; k < 3; ++k) {
    if (share(engine) < 0.5) {
      yard.nodes[engine() % yard.nodes.size()].multiply_seconds *= factor();
    } else {
      yard.edges[engine() % yard.edges.size()].seconds *= factor();
    }
  }
  if (share(engine) < 0.15) yard.edges[engine() % yard.edges.size()].seconds = 1e6;
  return yard;
}

/// The rule followed call by call, with costs exactly as predicted.
class Rule {
 public:
  explicit Rule(const Yard& yard) : yard_(yard), course_{.origin = yard.valid, .at = {}} {}

  /// Makes the next product. Returns the total so far.
  double total_after_next() {
    if (!course_.at || course_.calls >= decided_until_) decide();
    const auto& node = *std::ranges::find(yard_.nodes, *course_.at, &YardNode::state);
    course_.spent_seconds += node.multiply_seconds;
    ++course_.calls;
    return course_.spent_seconds;
  }

 private:
  void decide() {
    const Choice choice = choose_for_unknown_calls(yard_, course_);
    const Plan plan = shortest_plan(yard_, choice.target);
    for (const Step& step : plan.steps) {
      if (step.kind == StepKind::Multiply) continue;
      course_.spent_seconds += step.predicted_seconds;
      if (std::ranges::find(yard_.valid, step.to) == yard_.valid.end()) {
        yard_.valid.push_back(step.to);
      }
    }
    const bool moved = course_.at != choice.target;
    course_.at = choice.target;
    decided_until_ = moved ? course_.calls + 1 : choice.until_calls.value_or(1 << 30);
  }

  Yard yard_;
  Course course_;
  Index decided_until_ = 0;
};

/// The least bound that any schedule over `yard` keeps, by trying all sequences of states, each
/// entered at the first call at which the bound allows it. `best` is by number of calls.
inline double least_ratio_of_any_schedule(const Yard& yard, const std::vector<double>& best) {
  const std::size_t n = yard.nodes.size();
  std::vector<double> ways(n * n, 1e300);
  const auto place = [&](State state) {
    return static_cast<std::size_t>(std::ranges::find(yard.nodes, state, &YardNode::state) -
                                    yard.nodes.begin());
  };
  for (std::size_t i = 0; i < n; ++i) ways[i * n + i] = 0;
  for (const YardEdge& edge : yard.edges) {
    double& way = ways[place(edge.from) * n + place(edge.to)];
    way = std::min(way, edge.seconds);
  }
  for (std::size_t by = 0; by < n; ++by) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        ways[i * n + j] = std::min(ways[i * n + j], ways[i * n + by] + ways[by * n + j]);
      }
    }
  }
  const auto keeps = [&](const std::vector<std::size_t>& order, double bound) {
    double total = 0;
    std::size_t next = 0;
    std::size_t at = n;
    std::vector<std::size_t> held{0};
    for (std::size_t calls = 1; calls < best.size(); ++calls) {
      while (next < order.size()) {
        double way = 1e300;
        for (const std::size_t from : held) way = std::min(way, ways[from * n + order[next]]);
        const double then = total + way + yard.nodes[order[next]].multiply_seconds;
        if (then > bound * best[calls]) break;
        total += way;
        at = order[next++];
        held.push_back(at);
      }
      if (at == n) return false;
      total += yard.nodes[at].multiply_seconds;
      if (total > bound * best[calls] * (1 + 1e-9)) return false;
    }
    return next == order.size();
  };
  std::vector<std::size_t> by_cost(n);
  for (std::size_t k = 0; k < n; ++k) by_cost[k] = k;
  std::ranges::sort(by_cost, std::greater<>(),
                    [&](std::size_t k) { return yard.nodes[k].multiply_seconds; });
  const auto any_keeps = [&](double bound) {
    for (unsigned subset = 1; subset < 1U << n; ++subset) {
      std::vector<std::size_t> order;
      for (std::size_t k = 0; k < n; ++k) {
        if (subset >> k & 1) order.push_back(by_cost[k]);
      }
      if (keeps(order, bound)) return true;
    }
    return false;
  };
  double low = 1;
  double high = 16;
  while (high - low > 0.003) {
    const double middle = (low + high) / 2;
    (any_keeps(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace switchyard::testing
