// All contenders from one state, in turn.
#pragma once

#include "decisions_runs.hpp"

namespace switchyard::command::bench {

/// A contender and what came of it in each round.
struct Entrant {
  Contender contender;
  std::vector<ContenderRun> runs = {};
  std::string failure = {};  ///< not empty: `runs` does not count

  /// The seconds of `calls` products in each round, `per_call` added for those that were not made.
  [[nodiscard]] std::vector<double> seconds(Index calls,
                                            const std::map<State, double>& per_call) const;
  /// Whether a round made fewer products than that.
  [[nodiscard]] bool cut_short(Index calls) const;
  [[nodiscard]] double max_error() const;
};

/// Every number of calls, hinted, unhinted and in each of `states`, round after round.
template <Element T>
class Contest {
 public:
  /// Keeps a reference to `runs`.
  Contest(ContenderRuns<T>& runs, const std::vector<State>& states, State from);

  /// As many rounds as fit into `seconds`, but `fewest`, or `most` where that is fewer.
  void run(double seconds, Index fewest, Index most);

  [[nodiscard]] const std::vector<Entrant>& entrants() const noexcept { return entrants_; }
  [[nodiscard]] const Entrant& adaptive(Index calls, bool hinted) const;
  /// A fixed state does not care how many calls are to come: where not all are worth making, this
  /// is the same entrant for several numbers of them.
  [[nodiscard]] const Entrant& pinned(State state, Index calls) const;

 private:
  [[nodiscard]] const Entrant* find(const Contender& wanted) const;
  void enter(const Contender& contender);
  void run_round(std::size_t round);
  void run_once(Entrant& entrant);

  ContenderRuns<T>& runs_;
  State from_;
  std::vector<Entrant> entrants_;
  std::vector<std::size_t> groups_;  // where the entrants of each number of calls begin
};

}  // namespace switchyard::command::bench
