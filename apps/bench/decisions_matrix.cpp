// From contests to cases and costs.
#include "decisions_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "command/interruption.hpp"
#include "command/run.hpp"
#include "decisions_costs.hpp"
#include "decisions_states.hpp"
#include "race.hpp"
#include "statistics.hpp"

namespace switchyard::command::bench {
namespace {

/// What all rounds of one matrix in one precision may take alone, about.
double seconds_alone(const BenchOptions& options) {
  return options.quick ? 1 : options.thorough ? 24 : 2.5;
}

/// The vectors of a program that keeps them where they are: x is written once before the first
/// product, y read once after the last.
constexpr VectorTraffic resident{.x_fresh = 0, .y_read = 0};

/// The yard with what the models say of each state, and nothing that decisions make of it: those
/// that are replayed make it again.
Yard as_modelled(Yard yard) {
  for (YardNode& node : yard.nodes) {
    if (!node.built_in) node.multiply_seconds = node.model_seconds;
  }
  return yard;
}

/// Of those with even and those with odd numbers.
std::array<double, 2> means_of_halves(const std::vector<double>& values) {
  std::array<double, 2> sums{};
  for (std::size_t i = 0; i < values.size(); ++i) sums[i % 2] += values[i];
  const auto count = static_cast<double>(values.size());
  return {sums[0] / std::ceil(count / 2), sums[1] / std::floor(count / 2)};
}

/// One matrix in one precision.
template <Element T>
class MatrixDecisions {
 public:
  MatrixDecisions(Laboratory& lab, const Subject& subject, DecisionResults& results)
      : lab_(lab),
        subject_(subject),
        results_(results),
        forms_(*lab.runtime.executors().front(), subject.make<T>()),
        x_(test_vector<T>(forms_.structure().cols)),
        expected_(reference_multiply<T>(forms_.in(Format::Csr), T{1}, x_, T{0}, {})),
        runs_(lab, forms_, x_, expected_, per_call_) {}

  void run() {
    const auto choices = choices_to_hold(lab_, subject_.name, forms_.structure(), precision_of<T>);
    per_call_ = race_choices(lab_, runs_, choices, x_);
    for (const auto& [choice, seconds] : per_call_) {
      choices_.push_back(choice);
      if (choice.variant.empty()) states_.push_back(choice.state);
    }
    const BenchOptions& options = lab_.options;
    const double alone = seconds_alone(options) / static_cast<double>(states_.size());
    const std::size_t first_entry = results_.costs.size();
    for (const State from : states_) {
      if (!is_given(from.format)) continue;
      if (is_interrupted()) {
        ++lab_.skipped;
        continue;
      }
      Contest<T> contest(runs_, choices_, decision_calls(options), from);
      contest.run({.seconds = options.seconds_for_rounds(alone), .most = options.rounds()},
                  options.counts());
      take(contest, from);
    }
    if (results_.costs.size() > first_entry) measure_other_edges(results_.costs[first_entry]);
    const auto edges = edges_.edges();
    for (std::size_t i = first_entry; i < results_.costs.size(); ++i) {
      results_.costs[i].measured.edges = edges;
    }
  }

 private:
  void take(const Contest<T>& contest, State from) {
    for (const Entrant& entrant : contest.entrants()) {
      for (const ContenderRun& run : entrant.runs) edges_.add(run.moves);
      check(entrant, from);
    }
    for (const Index calls : decision_calls(lab_.options)) {
      for (const bool hinted : {true, false}) take_case(contest, from, calls, hinted);
    }
    results_.costs.push_back({.matrix = subject_.name,
                              .precision = precision_of<T>,
                              .careful = careful(),
                              .predicted = as_modelled(first_plan(from, 1).yard),
                              .measured = {.valid = {from},
                                           .nodes = measured_nodes(contest, per_call_),
                                           .edges = {},
                                           .refused = {}}});
  }

  void take_case(const Contest<T>& contest, State from, Index calls, bool hinted) {
    const Entrant& adaptive = contest.adaptive(calls, hinted);
    if (!adaptive.failure.empty()) return;
    const Counts counts = lab_.options.counts();
    DecisionCase entry{.matrix = subject_.name,
                       .precision = precision_of<T>,
                       .from = from,
                       .calls = calls,
                       .hinted = hinted,
                       .seconds_adaptive = that_counts(adaptive.seconds(calls, per_call_), counts),
                       .rounds = static_cast<Index>(adaptive.runs.size()),
                       .careful = careful(),
                       .visited = adaptive.runs.back().visited,
                       .predicted = first_plan(from, hinted ? calls : 1).predicted_seconds,
                       .max_error = adaptive.max_error()};
    const Entrant* best = nullptr;
    for (const FixedChoice& choice : choices_) {
      const Entrant& fixed = contest.fixed(choice, calls);
      if (!fixed.failure.empty()) continue;
      const double seconds = that_counts(fixed.seconds(calls, per_call_), counts);
      if (add_fixed(entry, choice, seconds) && entry.oracle() == seconds) best = &fixed;
      entry.max_error = std::max(*entry.max_error, fixed.max_error());
    }
    if (!best) return;
    entry.spread = percentile(best->seconds(calls, per_call_), 0.95) / entry.oracle();
    if (counts == Counts::Mean) {
      entry.oracle_of_other_rounds = best_elsewhere(contest, calls, adaptive.runs.size());
    }
    entry.extrapolated = adaptive.cut_short(calls) || best->cut_short(calls);
    if (const auto last = seconds_of_call(per_call_, adaptive.runs.back().last)) {
      const auto seconds = [](const auto& pair) { return pair.second; };
      entry.per_call_ratio = *last / std::ranges::min_element(per_call_, {}, seconds)->second;
    }
    results_.cases.push_back(std::move(entry));
  }

  /// The mean over both halves of the rounds, even and odd, of what the best of the other half
  /// takes in it. Nothing where there are fewer than four rounds.
  [[nodiscard]] std::optional<double> best_elsewhere(const Contest<T>& contest, Index calls,
                                                     std::size_t rounds) const {
    if (rounds < 4) return std::nullopt;
    // For each half the least time in the other one, and what that choice takes in this one.
    std::array<std::pair<double, double>, 2> best;
    best.fill({std::numeric_limits<double>::infinity(), 0});
    for (const FixedChoice& choice : choices_) {
      const Entrant& fixed = contest.fixed(choice, calls);
      if (!fixed.failure.empty() || fixed.runs.size() < rounds) continue;
      const std::array<double, 2> means = means_of_halves(fixed.seconds(calls, per_call_));
      for (const std::size_t half : {0U, 1U}) {
        best[half] = std::min(best[half], {means[1 - half], means[half]});
      }
    }
    if (best.front().second == 0) return std::nullopt;
    return (best.front().second + best.back().second) / 2;
  }

  /// Returns whether no other choice in that state was faster so far.
  [[nodiscard]] bool add_fixed(DecisionCase& entry, const FixedChoice& choice, double seconds) {
    if (lab_.options.holds_variants()) {
      const std::string variant = choice.variant.empty() ? "auto" : std::string(choice.variant);
      entry.variants[choice.state][variant] = seconds;
    }
    const auto [place, is_new] = entry.seconds.try_emplace(choice.state, seconds);
    if (!is_new && seconds >= place->second) return false;
    place->second = seconds;
    return true;
  }

  void check(const Entrant& entrant, State from) {
    const Contender& who = entrant.contender;
    const std::string what = fmt::format("{}, {} from {}, {} of {} calls", subject_.name,
                                         name(precision_of<T>), name(from),
                                         who.fixed    ? name(*who.fixed)
                                         : who.hinted ? "adaptive, hinted,"
                                                      : "adaptive",
                                         who.calls);
    if (entrant.max_error() > 1) {
      lab_.failures.push_back(fmt::format("{}: an error of {:.3g} times what rounding allows", what,
                                          entrant.max_error()));
    }
    if (!entrant.failure.empty()) lab_.notes.push_back(what + ": " + entrant.failure);
  }

  /// Switches that no run went over, each by itself. The way to a state may lead over another one:
  /// then the direct switch stays unknown, as it does to every rule that plans with these models.
  void measure_other_edges(const CostEntry& entry) {
    for (const YardEdge& edge : entry.predicted.edges) {
      const bool held = per_call_.contains({edge.from}) && per_call_.contains({edge.to});
      if (!held || edges_.knows(edge)) continue;
      for (int i = 0; i < 3; ++i) {
        const GMatrix<T> matrix = runs_.standing_in(edge.from);
        const std::size_t before = matrix.history().size();
        matrix.bring_to(edge.to);
        std::vector<Step> moves = matrix.history();
        moves.erase(moves.begin(), moves.begin() + static_cast<std::ptrdiff_t>(before));
        edges_.add(moves);
      }
    }
  }

  [[nodiscard]] Plan first_plan(State from, Index calls) {
    return lab_.runtime.plan({.structure = runs_.standing_in(from).structure(),
                              .precision = precision_of<T>,
                              .valid = {from},
                              .calls = calls,
                              .vectors = resident});
  }

  [[nodiscard]] std::optional<State> careful() const {
    const auto device = std::ranges::find_if_not(
        states_, [](Space space) { return space.is_host(); }, &State::space);
    const State state = careful_state(forms_.structure(), precision_of<T>,
                                      device == states_.end() ? Space::host() : device->space);
    if (std::ranges::find(states_, state) == states_.end()) return std::nullopt;
    return state;
  }

  Laboratory& lab_;
  const Subject& subject_;
  DecisionResults& results_;
  Forms<T> forms_;
  std::vector<T> x_;
  std::vector<ReferenceRow> expected_;
  CallSeconds per_call_;
  std::vector<FixedChoice> choices_;  // those that could be timed
  std::vector<State> states_;         // of these
  ContenderRuns<T> runs_;
  EdgeTimes edges_;
};

}  // namespace

template <Element T>
void decide_about(Laboratory& lab, const Subject& subject, DecisionResults& results) {
  MatrixDecisions<T>(lab, subject, results).run();
}

template void decide_about<float>(Laboratory&, const Subject&, DecisionResults&);
template void decide_about<double>(Laboratory&, const Subject&, DecisionResults&);

}  // namespace switchyard::command::bench
