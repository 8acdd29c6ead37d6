// Taking turns, round after round.
#include "decisions_contest.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "command/run.hpp"
#include "decisions.hpp"

namespace switchyard::command::bench {

std::vector<double> Entrant::seconds(Index calls, const std::map<State, double>& per_call) const {
  std::vector<double> all;
  for (const ContenderRun& run : runs) {
    const Index missing = calls - run.made;
    const double rest = missing > 0 ? static_cast<double>(missing) * per_call.at(run.last) : 0;
    all.push_back(run.seconds + rest);
  }
  return all;
}

bool Entrant::cut_short(Index calls) const {
  return std::ranges::any_of(runs, [&](const ContenderRun& run) { return run.made < calls; });
}

double Entrant::max_error() const {
  return runs.empty() ? 0 : std::ranges::max(runs, {}, &ContenderRun::error).error;
}

template <Element T>
Contest<T>::Contest(ContenderRuns<T>& runs, const std::vector<State>& states, State from)
    : runs_(runs), from_(from) {
  for (const Index calls : decision_calls) {
    groups_.push_back(entrants_.size());
    enter({.pinned = {}, .hinted = true, .calls = calls});
    enter({.pinned = {}, .hinted = false, .calls = calls});
    for (const State state : states) {
      enter({.pinned = state, .hinted = false, .calls = runs.worth_making(state, calls)});
    }
  }
}

template <Element T>
void Contest<T>::enter(const Contender& contender) {
  if (!find(contender)) entrants_.push_back({contender});
}

template <Element T>
const Entrant* Contest<T>::find(const Contender& wanted) const {
  const auto found = std::ranges::find(entrants_, wanted, &Entrant::contender);
  return found == entrants_.end() ? nullptr : &*found;
}

template <Element T>
const Entrant& Contest<T>::adaptive(Index calls, bool hinted) const {
  return *find({.pinned = {}, .hinted = hinted, .calls = calls});
}

template <Element T>
const Entrant& Contest<T>::pinned(State state, Index calls) const {
  return *find({.pinned = state, .hinted = false, .calls = runs_.worth_making(state, calls)});
}

template <Element T>
void Contest<T>::run(double seconds, Index fewest, Index most) {
  // The first round finds memory and caches as the contest before left them: it does not count.
  double spent = seconds_of([&] { run_round(0); });
  for (Entrant& entrant : entrants_) entrant.runs.clear();
  for (Index round = 0; round < most; ++round) {
    if (round >= fewest && spent >= seconds) break;
    spent += seconds_of([&] { run_round(static_cast<std::size_t>(round)); });
  }
}

/// Those of one number of calls follow one another, in another order each round: whoever ran before
/// leaves caches and threads as it used them.
template <Element T>
void Contest<T>::run_round(std::size_t round) {
  std::mt19937_64 random(round);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::size_t end = g + 1 < groups_.size() ? groups_[g + 1] : entrants_.size();
    std::vector<std::size_t> turns(end - groups_[g]);
    std::iota(turns.begin(), turns.end(), groups_[g]);
    std::ranges::shuffle(turns, random);
    for (const std::size_t turn : turns) run_once(entrants_[turn]);
  }
}

template <Element T>
void Contest<T>::run_once(Entrant& entrant) {
  if (!entrant.failure.empty()) return;
  try {
    entrant.runs.push_back(runs_.run(from_, entrant.contender));
    if (entrant.runs.back().open) entrant.failure = "the choice stays open for too long";
  } catch (const std::exception& error) {
    entrant.failure = error.what();
  }
}

template class Contest<float>;
template class Contest<double>;

}  // namespace switchyard::command::bench
