// Taking turns, round after round.
#include "decisions_contest.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <random>

#include "command/run.hpp"

namespace switchyard::command::bench {
namespace {

/// When choices leave: after so many rounds those whose fastest round took so many times the best
/// mean. A stall of its own hardly ever makes three rounds in a row slow, and the least of sixty
/// means of three rounds is too low; a single round, the one that does not count, must be slower
/// than stalls make a workload of a millisecond.
struct Cut {
  Index rounds = 0;
  double hopeless = 0;
};
constexpr std::array cuts{Cut{0, 16}, Cut{3, 2}, Cut{6, 1.5}};

}  // namespace

std::vector<double> Entrant::seconds(Index calls, const CallSeconds& per_call) const {
  std::vector<double> all;
  for (const ContenderRun& run : runs) {
    const Index missing = calls - run.made;
    all.push_back(run.seconds);
    if (missing <= 0) continue;
    // A state that could not be timed by itself lasts as long as it did here.
    const double each =
        seconds_of_call(per_call, run.last).value_or(run.seconds / static_cast<double>(run.made));
    all.back() += static_cast<double>(missing) * each;
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
Contest<T>::Contest(ContenderRuns<T>& runs, std::vector<FixedChoice> choices,
                    std::vector<Index> calls, State from)
    : runs_(runs), choices_(std::move(choices)), calls_(std::move(calls)), from_(from) {
  for (const Index count : calls_) {
    groups_.push_back(entrants_.size());
    enter({.fixed = {}, .hinted = true, .calls = count});
    enter({.fixed = {}, .hinted = false, .calls = count});
    for (const FixedChoice& choice : choices_) {
      enter({.fixed = choice, .hinted = false, .calls = runs.worth_making(choice, count)});
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
  return *find({.fixed = {}, .hinted = hinted, .calls = calls});
}

template <Element T>
const Entrant& Contest<T>::fixed(const FixedChoice& choice, Index calls) const {
  return *find({.fixed = choice, .hinted = false, .calls = runs_.worth_making(choice, calls)});
}

template <Element T>
const Entrant* Contest<T>::fixed_once(const FixedChoice& choice) const {
  return find({.fixed = choice, .hinted = false, .calls = 1});
}

template <Element T>
void Contest<T>::run(const Rounds& rounds, Counts counts) {
  // The first round finds memory and caches as the contest before left them: it does not count, but
  // for those who leave after it.
  double spent = seconds_of([&] { run_round(0, counts); });
  const bool cutting = counts == Counts::Mean;
  const Index fewest = cutting ? std::max(rounds.fewest, cuts.back().rounds) : rounds.fewest;
  for (Index round = 0; round < rounds.most; ++round) {
    if (round >= fewest && spent >= rounds.seconds) break;
    const auto cut = std::ranges::find(cuts, round, &Cut::rounds);
    if (cut != cuts.end() && cutting) {
      drop_hopeless(cut->hopeless);
      // Most of the time goes to those that leave. The others are worth all of it anew.
      spent = 0;
    }
    if (round == 0) forget_first_round();
    spent += seconds_of([&] { run_round(static_cast<std::size_t>(round), counts); });
  }
}

template <Element T>
void Contest<T>::forget_first_round() {
  for (Entrant& entrant : entrants_) {
    if (entrant.again) entrant.runs.clear();
  }
}

/// Those of one number of calls follow one another, in another order each round: whoever ran before
/// leaves caches and threads as it used them.
template <Element T>
void Contest<T>::run_round(std::size_t round, Counts counts) {
  std::mt19937_64 random(round);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::size_t end = g + 1 < groups_.size() ? groups_[g + 1] : entrants_.size();
    std::vector<std::size_t> turns(end - groups_[g]);
    std::iota(turns.begin(), turns.end(), groups_[g]);
    std::ranges::shuffle(turns, random);
    for (const std::size_t turn : turns) run_once(entrants_[turn], counts);
  }
}

template <Element T>
void Contest<T>::run_once(Entrant& entrant, Counts counts) {
  if (!entrant.again || !entrant.failure.empty()) return;
  try {
    entrant.runs.push_back(runs_.run(from_, entrant.contender));
    // Beside load, where a stall alone can use up the patience, leaving the workload out would hide
    // exactly that: the rest is taken to be made where the last call was.
    if (entrant.runs.back().open && counts == Counts::Median) {
      entrant.failure = "the choice stays open for too long";
    }
  } catch (const std::exception& error) {
    entrant.failure = error.what();
  }
}

/// A choice leaves if even its fastest round took `factor` times the mean of the best choice, in
/// every workload that it takes part in.
template <Element T>
void Contest<T>::drop_hopeless(double factor) {
  std::vector<const Entrant*> useful;
  for (const Index count : calls_) {
    std::vector<std::pair<const Entrant*, std::vector<double>>> all;
    for (const FixedChoice& choice : choices_) {
      const Entrant& entrant = fixed(choice, count);
      if (entrant.failure.empty())
        all.push_back({&entrant, entrant.seconds(count, runs_.per_call())});
    }
    double best = std::numeric_limits<double>::infinity();
    for (const auto& [entrant, seconds] : all) {
      best = std::min(best, that_counts(seconds, Counts::Mean));
    }
    for (const auto& [entrant, seconds] : all) {
      if (std::ranges::min(seconds) <= factor * best) useful.push_back(entrant);
    }
  }
  for (Entrant& entrant : entrants_) {
    const bool is_useful = std::ranges::find(useful, &entrant) != useful.end();
    entrant.again = entrant.again && (!entrant.contender.fixed || is_useful);
  }
}

template class Contest<float>;
template class Contest<double>;

}  // namespace switchyard::command::bench
