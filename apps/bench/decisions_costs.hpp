// The cost table: what was measured of one matrix, state by state and switch by switch.
#pragma once

#include "decisions_contest.hpp"

namespace switchyard::command::bench {

/// The seconds that each switch took, in all runs that went over it.
class EdgeTimes {
 public:
  void add(const std::vector<Step>& moves);
  [[nodiscard]] bool knows(const YardEdge& edge) const;
  /// Each with its median.
  [[nodiscard]] std::vector<YardEdge> edges() const;

 private:
  struct Times {
    YardEdge edge;
    std::vector<double> seconds;
  };
  std::vector<Times> times_;
};

/// A node for each state in which one product could be timed: `per_call`, and what the first one
/// took beyond that.
template <Element T>
[[nodiscard]] std::vector<YardNode> measured_nodes(const Contest<T>& contest,
                                                   const CallSeconds& per_call);

/// The seconds of one product with each choice, vectors staying where they are, in one race. A
/// state that cannot be reached is absent.
template <Element T>
[[nodiscard]] CallSeconds race_choices(Laboratory& lab, ContenderRuns<T>& runs,
                                       const std::vector<FixedChoice>& choices,
                                       const std::vector<T>& x);

}  // namespace switchyard::command::bench
