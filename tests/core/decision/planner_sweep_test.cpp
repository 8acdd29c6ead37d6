// The planner against brute force on graphs of every kind, a hundred thousand of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <switchyard/containers/error.hpp>
#include <switchyard/core/planner.hpp>

#include "core/decision/yards.hpp"

namespace switchyard {
namespace {

using testing::nth_state;

constexpr int yards = 100'000;

/// Seconds, then steps: as routes are compared.
using Length = std::pair<double, int>;
constexpr Length unreachable{std::numeric_limits<double>::infinity(), 0};

/// The shortest way to each of the first eight states, by going over all edges until nothing
/// changes.
std::array<Length, 8> shortest_ways(const Yard& yard) {
  std::array<Length, 8> ways;
  ways.fill(unreachable);
  const auto place = [](State state) {
    return static_cast<std::size_t>(2 * state.space.index() + static_cast<int>(state.format));
  };
  for (const State state : yard.valid) ways[place(state)] = {0, 0};
  for (bool changed = true; changed;) {
    changed = false;
    for (const YardEdge& edge : yard.edges) {
      const auto& [seconds, steps] = ways[place(edge.from)];
      const Length through{seconds + edge.seconds, steps + 1};
      if (seconds == unreachable.first || through >= ways[place(edge.to)]) continue;
      ways[place(edge.to)] = through;
      changed = true;
    }
  }
  return ways;
}

/// One to eight states, any edges between them, whole numbers as costs so that ties are frequent;
/// one in ten holds a number that is no cost.
struct RandomYard {
  explicit RandomYard(std::mt19937_64& engine) {
    const auto below = [&](int bound) { return static_cast<int>(engine() % unsigned(bound)); };
    const int states = 1 + below(8);
    const int edges_in_four = below(5);
    const int costs = 1 + below(20);
    yard.horizon = std::array<Index, 4>{1, 2, 10, 1000}[std::size_t(below(4))];
    yard.valid = {nth_state(below(states))};
    if (below(3) == 0) yard.valid.push_back(nth_state(below(states)));
    for (int i = 0; i < states; ++i) {
      if (below(5) > 0) {
        yard.nodes.push_back({.state = nth_state(i),
                              .multiply_seconds = double(below(costs)),
                              .vector_seconds = double(below(costs)),
                              .once_seconds = double(below(costs))});
      }
      for (int j = 0; j < states; ++j) {
        if (below(4) >= edges_in_four) continue;
        yard.edges.push_back({nth_state(i), nth_state(j), StepKind::Convert, double(below(costs))});
      }
    }
    if (below(10) > 0) return;
    const std::array<double, 3> bad{std::numeric_limits<double>::quiet_NaN(),
                                    std::numeric_limits<double>::infinity(), -1};
    const double cost = bad[std::size_t(below(3))];
    if (!yard.edges.empty() && below(2) == 0) {
      yard.edges[engine() % yard.edges.size()].seconds = cost;
      holds_bad_cost = true;
    } else if (!yard.nodes.empty()) {
      yard.nodes[engine() % yard.nodes.size()].multiply_seconds = cost;
      holds_bad_cost = true;
    }
  }
  Yard yard;
  bool holds_bad_cost = false;
};

ErrorCode refusal(const Yard& yard) {
  try {
    static_cast<void>(shortest_plan(yard));
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::Internal;
}

/// Where brute force would compute, and at what length; nothing where it can go nowhere.
std::optional<std::pair<Length, State>> best_by_brute_force(const Yard& yard) {
  const auto ways = shortest_ways(yard);
  std::optional<std::pair<Length, State>> best;
  for (const YardNode& node : yard.nodes) {
    const auto place = 2 * node.state.space.index() + static_cast<int>(node.state.format);
    const auto& [seconds, steps] = ways[static_cast<std::size_t>(place)];
    if (seconds == unreachable.first) continue;
    const std::pair<Length, State> here{{seconds + node.seconds(yard.horizon), steps + 1},
                                        node.state};
    if (!best || here < *best) best = here;
  }
  return best;
}

TEST(PlannerSweep, AgreesWithBruteForceOnEveryGraph) {
  std::mt19937_64 engine(11);
  int agreed = 0;
  int refused = 0;
  for (int k = 0; k < yards; ++k) {
    const RandomYard random(engine);
    const Yard& yard = random.yard;
    if (random.holds_bad_cost) {
      const bool right = refusal(yard) == ErrorCode::InvalidArgument;
      agreed += right ? 1 : 0;
      ++refused;
      EXPECT_TRUE(right) << "yard " << k;
      continue;
    }
    const auto best = best_by_brute_force(yard);
    if (!best) {
      const bool right = refusal(yard) == ErrorCode::DeviceUnavailable;
      agreed += right ? 1 : 0;
      EXPECT_TRUE(right) << "yard " << k;
      continue;
    }
    const Plan plan = shortest_plan(yard);
    const Length length{plan.predicted_seconds, static_cast<int>(plan.steps.size())};
    const bool right = length == best->first && plan.target() == best->second;
    agreed += right ? 1 : 0;
    ASSERT_TRUE(right) << "yard " << k << ": " << plan.predicted_seconds << " s in "
                       << name(plan.target()) << ", by brute force " << best->first.first
                       << " s in " << name(best->second);
  }
  EXPECT_EQ(agreed, yards);
  EXPECT_GT(refused, yards / 20);
  RecordProperty("agreed", std::to_string(agreed));
}

}  // namespace
}  // namespace switchyard
