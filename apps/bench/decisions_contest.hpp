// All contenders from one state, in turn.
#pragma once

#include "decisions_runs.hpp"
#include "race.hpp"

namespace switchyard::command::bench {

/// A contender and what came of it in each round.
struct Entrant {
  Contender contender;
  std::vector<ContenderRun> runs = {};
  std::string failure = {};  ///< not empty: `runs` does not count
  bool again = true;         ///< false: too slow to be worth another round

  /// The seconds of `calls` products in each round, `per_call` added for those that were not made.
  [[nodiscard]] std::vector<double> seconds(Index calls, const CallSeconds& per_call) const;
  /// Whether a round made fewer products than that.
  [[nodiscard]] bool cut_short(Index calls) const;
  [[nodiscard]] double max_error() const;
};

/// How many rounds are made: as many as fit into `seconds`, but `fewest`, or `most` where that is
/// fewer. Where choices leave, `seconds` count from the last time on that some do.
struct Rounds {
  double seconds = 0;
  Index fewest = 3;
  Index most = 9;
};

/// Every number of calls, hinted, unhinted and with each of `choices`, round after round.
template <Element T>
class Contest {
 public:
  /// Keeps a reference to `runs`.
  Contest(ContenderRuns<T>& runs, std::vector<FixedChoice> choices, std::vector<Index> calls,
          State from);

  /// Every contender in each round. With `Counts::Mean`, where stalls count and rounds are many, a
  /// fixed choice that is too slow to be the best of any workload leaves: after the first round,
  /// which does not count, and again after three and six.
  void run(const Rounds& rounds, Counts counts);

  [[nodiscard]] const std::vector<Entrant>& entrants() const noexcept { return entrants_; }
  [[nodiscard]] const Entrant& adaptive(Index calls, bool hinted) const;
  /// A fixed choice does not care how many calls are to come: where not all are worth making, this
  /// is the same entrant for several numbers of them.
  [[nodiscard]] const Entrant& fixed(const FixedChoice& choice, Index calls) const;
  /// That choice with a single call, or null where no number of calls comes to that.
  [[nodiscard]] const Entrant* fixed_once(const FixedChoice& choice) const;

 private:
  [[nodiscard]] const Entrant* find(const Contender& wanted) const;
  void enter(const Contender& contender);
  void run_round(std::size_t round, Counts counts);
  void run_once(Entrant& entrant, Counts counts);
  void forget_first_round();
  void drop_hopeless(double factor);

  ContenderRuns<T>& runs_;
  std::vector<FixedChoice> choices_;
  std::vector<Index> calls_;
  State from_;
  std::vector<Entrant> entrants_;
  std::vector<std::size_t> groups_;  // where the entrants of each number of calls begin
};

}  // namespace switchyard::command::bench
