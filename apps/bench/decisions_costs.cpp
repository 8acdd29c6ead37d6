// Medians of what runs left behind, and a race for the products.
#include "decisions_costs.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "race.hpp"

namespace switchyard::command::bench {
namespace {

bool same_switch(const YardEdge& one, const YardEdge& other) {
  return one.from == other.from && one.to == other.to && one.kind == other.kind;
}

/// A matrix that stays in its state, and vectors that do.
template <Element T>
struct Standing {
  State state;
  GMatrix<T> matrix;
  Vector<T> x;
  Vector<T> y;
};

double first_product_excess(const Entrant& entrant, double per_call) {
  std::vector<double> excess;
  for (const ContenderRun& run : entrant.runs) {
    double rest = run.seconds - per_call;
    for (const Step& move : run.moves) rest -= move.measured_seconds.value_or(0);
    excess.push_back(std::max(rest, 0.0));
  }
  return median_of(std::move(excess));
}

}  // namespace

void EdgeTimes::add(const std::vector<Step>& moves) {
  for (const Step& move : moves) {
    if (!move.measured_seconds) continue;
    const YardEdge edge{.from = move.from, .to = move.to, .kind = move.kind};
    auto place = std::ranges::find_if(
        times_, [&](const Times& times) { return same_switch(times.edge, edge); });
    if (place == times_.end()) place = times_.insert(place, Times{edge, {}});
    place->seconds.push_back(*move.measured_seconds);
  }
}

bool EdgeTimes::knows(const YardEdge& edge) const {
  return std::ranges::any_of(times_,
                             [&](const Times& times) { return same_switch(times.edge, edge); });
}

std::vector<YardEdge> EdgeTimes::edges() const {
  std::vector<YardEdge> edges;
  for (const Times& times : times_) {
    edges.push_back(times.edge);
    edges.back().seconds = median_of(times.seconds);
  }
  std::ranges::sort(edges, {}, [](const YardEdge& edge) { return std::pair(edge.from, edge.to); });
  return edges;
}

template <Element T>
std::vector<YardNode> measured_nodes(const Contest<T>& contest,
                                     const std::map<State, double>& per_call) {
  std::vector<YardNode> nodes;
  for (const auto& [state, seconds] : per_call) {
    const Entrant& once = contest.pinned(state, 1);
    if (!once.failure.empty()) continue;
    nodes.push_back({.state = state,
                     .multiply_seconds = seconds,
                     .once_seconds = first_product_excess(once, seconds)});
  }
  return nodes;
}

template <Element T>
std::map<State, double> race_states(Laboratory& lab, ContenderRuns<T>& runs,
                                    const std::vector<State>& states, const std::vector<T>& x) {
  std::vector<std::unique_ptr<Standing<T>>> all;
  std::vector<Racer> racers;
  const auto note = [&](State state, const std::string& why) {
    lab.notes.push_back(switchyard::name(state) + " is left out: " + why);
  };
  for (const State state : states) {
    try {
      auto matrix = runs.standing_in(state);
      const Index rows = matrix.rows();
      all.push_back(std::make_unique<Standing<T>>(Standing<T>{
          state, std::move(matrix), Vector<T>(std::span<const T>(x)), Vector<T>(rows)}));
    } catch (const std::exception& error) {
      note(state, error.what());
      continue;
    }
    Standing<T>& here = *all.back();
    here.matrix.pin(state);
    Executor& executor = *lab.runtime.executor(state.space);
    racers.push_back({switchyard::name(state), [&] { here.matrix.multiply(here.x, here.y); },
                      [&] { executor.finish(); }});
  }
  // Long enough that the caches hold what this state alone would have put there.
  RaceOptions options = lab.options.race();
  options.batch_seconds = lab.options.quick ? 1e-2 : 3e-2;
  if (options.counts == Counts::Median) options.repetitions = std::min(options.repetitions, 5);
  const auto laps = race(racers, options);
  std::map<State, double> seconds;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (laps[i].failure.empty()) {
      seconds[all[i]->state] = laps[i].per_call();
    } else {
      note(all[i]->state, laps[i].failure);
    }
  }
  return seconds;
}

template std::vector<YardNode> measured_nodes(const Contest<float>&,
                                              const std::map<State, double>&);
template std::vector<YardNode> measured_nodes(const Contest<double>&,
                                              const std::map<State, double>&);
template std::map<State, double> race_states(Laboratory&, ContenderRuns<float>&,
                                             const std::vector<State>&, const std::vector<float>&);
template std::map<State, double> race_states(Laboratory&, ContenderRuns<double>&,
                                             const std::vector<State>&, const std::vector<double>&);

}  // namespace switchyard::command::bench
