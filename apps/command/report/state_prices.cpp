// Asking the planner.
#include "state_prices.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace switchyard::command::report {

VectorTraffic traffic_of(Vectors vectors) {
  if (vectors == Vectors::Travel) return {};
  return {.x_valid = 1, .y_valid = 1, .x_fresh = 0, .y_read = 0};
}

Yard yard_of(const Question& question, const Profile& profile) {
  const Situation situation{.structure = question.structure,
                            .precision = question.precision,
                            .valid = {question.from},
                            .spaces = outlook_of(profile, question.precision),
                            .horizon = question.calls,
                            .vectors = traffic_of(question.vectors),
                            .refused = {}};
  return price_unmeasured(situation, profile);
}

std::optional<State> best_state(const Question& question, const Profile& profile) {
  try {
    return shortest_plan(yard_of(question, profile)).target();
  } catch (const Error&) {
    return std::nullopt;  // no way leads to any product
  }
}

std::vector<double> ways_to(const std::vector<State>& states, Yard yard) {
  std::vector<double> ways(states.size(), std::numeric_limits<double>::infinity());
  const auto put = [&](State state, double seconds) {
    const auto place = std::ranges::find(states, state);
    if (place != states.end()) ways[static_cast<std::size_t>(place - states.begin())] = seconds;
  };
  // Where a product costs nothing, what is left of a price is the way.
  for (YardNode& node : yard.nodes) node = {.state = node.state};
  try {
    const Plan plan = shortest_plan(std::move(yard));
    put(plan.target(), plan.predicted_seconds);
    for (const Alternative& other : plan.alternatives) put(other.state, other.predicted_seconds);
  } catch (const Error&) {
    return ways;
  }
  return ways;
}

std::vector<State> states_of(const Profile& profile) {
  std::vector<State> states;
  for (const CostModel& model : profile.models()) {
    // Whether values can be coded is nothing that a map by shape and density knows.
    if (facts_of(model.key.from.format).obstacle) continue;
    if (model.key.operation == Operation::Multiply) states.push_back(model.key.from);
  }
  std::ranges::sort(states);
  states.erase(std::ranges::unique(states).begin(), states.end());
  return states;
}

std::vector<State> starts_among(const std::vector<State>& states) {
  constexpr std::size_t most = 8;
  std::map<Space, std::size_t> seen;
  std::vector<std::pair<std::size_t, State>> by_turn;
  for (const State state : states) {
    if (is_given(state.format)) by_turn.emplace_back(seen[state.space]++, state);
  }
  std::ranges::sort(by_turn);
  std::vector<State> starts;
  for (const auto& [turn, state] : by_turn) {
    if (starts.size() < most) starts.push_back(state);
  }
  std::ranges::sort(starts);
  return starts;
}

}  // namespace switchyard::command::report
