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
  FixedChoice choice;
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
std::vector<YardNode> measured_nodes(const Contest<T>& contest, const CallSeconds& per_call) {
  std::vector<YardNode> nodes;
  for (const auto& [choice, seconds] : per_call) {
    if (!choice.variant.empty()) continue;
    const Entrant* const once = contest.fixed_once(choice);
    if (once && !once->failure.empty()) continue;
    nodes.push_back({.state = choice.state,
                     .multiply_seconds = seconds,
                     .once_seconds = once ? first_product_excess(*once, seconds) : 0});
  }
  return nodes;
}

template <Element T>
CallSeconds race_choices(Laboratory& lab, ContenderRuns<T>& runs,
                         const std::vector<FixedChoice>& choices, const std::vector<T>& x) {
  std::vector<std::unique_ptr<Standing<T>>> all;
  std::vector<Racer> racers;
  const auto note = [&](const FixedChoice& choice, const std::string& why) {
    lab.notes.push_back(name(choice) + " is left out: " + why);
  };
  for (const FixedChoice& choice : choices) {
    try {
      auto matrix = runs.standing_in(choice.state, choice);
      const Index rows = matrix.rows();
      all.push_back(std::make_unique<Standing<T>>(Standing<T>{
          choice, std::move(matrix), Vector<T>(std::span<const T>(x)), Vector<T>(rows)}));
    } catch (const std::exception& error) {
      note(choice, error.what());
      continue;
    }
    Standing<T>& here = *all.back();
    here.matrix.pin(choice.state);
    Executor& executor = *lab.runtime.executor(choice.state.space);
    racers.push_back(
        {name(choice), [&] { here.matrix.multiply(here.x, here.y); }, [&] { executor.finish(); }});
  }
  // Long enough that the caches hold what this state alone would have put there.
  RaceOptions options = lab.options.race();
  const bool alone = options.counts == Counts::Median;
  options.batch_seconds = lab.options.quick || !alone ? 1e-2 : 3e-2;
  if (alone) options.repetitions = std::min(options.repetitions, 5);
  const auto laps = race(racers, options);
  CallSeconds seconds;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (laps[i].failure.empty()) {
      seconds[all[i]->choice] = laps[i].per_call();
    } else {
      note(all[i]->choice, laps[i].failure);
    }
  }
  return seconds;
}

template std::vector<YardNode> measured_nodes(const Contest<float>&, const CallSeconds&);
template std::vector<YardNode> measured_nodes(const Contest<double>&, const CallSeconds&);
template CallSeconds race_choices(Laboratory&, ContenderRuns<float>&,
                                  const std::vector<FixedChoice>&, const std::vector<float>&);
template CallSeconds race_choices(Laboratory&, ContenderRuns<double>&,
                                  const std::vector<FixedChoice>&, const std::vector<double>&);

}  // namespace switchyard::command::bench
