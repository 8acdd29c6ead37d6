// Schedules for an unknown number of calls, and the search for the best that keeps a bound.
#pragma once

#include <array>
#include <switchyard/core/plan.hpp>
#include <vector>

#include "hindsight.hpp"

namespace switchyard {

/// Candidates of which all schedules are tried, beside the state under way: each more doubles them.
inline constexpr std::size_t most_tried = 8;
/// Candidates that a schedule is chosen from at most.
inline constexpr std::size_t most_candidates = 16;
/// Doubling numbers of calls at which schedules are compared.
inline constexpr std::size_t horizons_compared = 12;

/// A state that calls may be computed in.
struct Candidate {
  State state;
  double rate = 0;   ///< seconds for each call
  double once = 0;   ///< what the first call costs more
  double entry = 0;  ///< seconds from the copies there are to the first call, `once` included
};

/// A number for each candidate, the state under way included.
using PerCandidate = std::array<double, most_candidates + 1>;

/// A stretch of a schedule: from so many calls on, in that candidate.
struct Stretch {
  std::size_t candidate = 0;
  double from_calls = 0;
  CostLine total;  ///< of all calls and paths from the beginning on
};

/// A sequence of ever cheaper candidates.
struct Schedule {
  /// The sum of its ratios to hindsight at doubling numbers of calls, each by its likelihood.
  double badness = endless;
  unsigned subset = 0;  ///< bit k - 1: candidate k is entered
  std::array<Stretch, most_candidates + 1> stretches;
  std::size_t size = 0;  ///< 0: there is none
};

/// What schedules are made of.
struct ScheduleProblem {
  double calls = 0;          ///< made so far
  double spent_seconds = 0;  ///< by then
  /// The state under way first, then the cheaper ones, the cheapest last.
  std::vector<Candidate> candidates;
  /// False before the first call: the first candidate is then a place of endless cost that has to
  /// be left at once.
  bool underway = false;
  /// Seconds from any copy that there is or from candidate [from] to the first call in [to].
  std::array<PerCandidate, most_candidates + 1> ways{};
  Hindsight hindsight;
};

/// The schedules of one problem within a bound: their totals never exceed `bound` times the best in
/// hindsight. Each candidate of a schedule is entered as soon as the bound allows: entering earlier
/// never makes the total larger later.
///
/// Of up to `most_tried` candidates all schedules are looked at. Of more, for each candidate only
/// the one is followed up that enters it with the lowest total: others could only win by a copy
/// that they leave on their way.
class ScheduleSearch {
 public:
  /// REQUIRES that the problem outlives this.
  explicit ScheduleSearch(const ScheduleProblem& problem);

  /// The schedule with the least badness that was found; of size 0 where none was.
  [[nodiscard]] Schedule best_within(double bound);
  /// Whether any is found.
  [[nodiscard]] bool can_keep(double bound);

 private:
  /// The beginning of a schedule: its last stretch, and what has been added up before that.
  struct Prefix {
    Stretch last;
    PerCandidate entry{};      // seconds to enter each candidate from any copy there would then be
    double badness = 0;        // up to the comparisons made so far
    std::size_t compared = 0;  // how many those are
    unsigned subset = 0;
    std::size_t depth = 0;  // of the last stretch
  };
  [[nodiscard]] Prefix beginning() const;
  [[nodiscard]] bool search(double bound, Schedule* best);
  [[nodiscard]] bool try_all(double bound, const Prefix& prefix, Schedule* best);
  [[nodiscard]] bool follow_lowest(double bound, Schedule* best) const;
  [[nodiscard]] bool enter(std::size_t to, double bound, const Prefix& prefix,
                           Stretch& stretch) const;
  [[nodiscard]] Prefix extended(const Prefix& prefix, const Stretch& stretch) const;
  void pass(Prefix& prefix, std::size_t candidate) const;
  [[nodiscard]] bool keeps_for_ever(const Stretch& last, double bound) const;
  [[nodiscard]] bool stays(const Stretch& stretch, double bound, double calls) const;
  [[nodiscard]] bool keeps(const CostLine& total, double bound, double calls) const;
  void compare_until(double calls, Prefix& prefix) const;
  [[nodiscard]] bool is_better(Prefix& prefix, const Schedule& best) const;

  const ScheduleProblem& problem_;
  std::array<double, horizons_compared> weights_{};       // likelihood over the best in hindsight
  std::array<Stretch, most_candidates + 1> stretches_{};  // of the prefix that is looked at
};

}  // namespace switchyard
