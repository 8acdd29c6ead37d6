// The rule for an unknown number of calls: schedules of ever cheaper states, and the best of those
// that keep the bound.
#include <algorithm>
#include <array>
#include <cmath>
#include <switchyard/containers/error.hpp>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/core/policy.hpp>

#include "hindsight.hpp"
#include "path_costs.hpp"

namespace switchyard {
namespace {

// States that a schedule is chosen from, beside the one under way: each more doubles the schedules.
constexpr std::size_t most_candidates = 8;
// Doubling numbers of calls at which schedules are compared.
constexpr std::size_t horizons_compared = 12;
// Two states never need more.
constexpr double least_bound = 2;
// Where no schedule keeps that, the bound is first raised by this factor until one does, and then
// found to within that.
constexpr double bound_growth = 1.5;
constexpr double bound_resolution = 1.005;

/// A state that products may be computed in.
struct Candidate {
  State state;
  double rate = 0;   ///< seconds for each call
  double once = 0;   ///< what the first call costs more
  double entry = 0;  ///< seconds from the copies there are to the first call, `once` included
};

/// A stretch of a schedule: from so many calls on, in that candidate.
struct Stretch {
  std::size_t candidate = 0;
  double from_calls = 0;
  CostLine total;
};

/// The best schedule found so far.
struct Best {
  double badness = endless;
  unsigned subset = 0;  ///< bit k - 1: candidate k is entered
  std::array<Stretch, most_candidates + 1> stretches;
  std::size_t size = 0;  ///< 0: none was found
};

/// What a search over schedules has on its way. Candidate `k` costs `entry[k]` to enter from any
/// copy that there would be.
struct Prefix {
  std::array<double, most_candidates + 1> entry{};
  double badness = 1;        ///< up to the comparisons made so far
  std::size_t compared = 0;  ///< how many those are
  unsigned subset = 0;
};

/// Of too many candidates, those that matter most for what the calls from now on cost.
std::vector<Candidate> thinned(const std::vector<Candidate>& candidates) {
  std::vector<CostLine> lines;
  lines.reserve(candidates.size());
  for (const Candidate& candidate : candidates) lines.push_back({candidate.entry, candidate.rate});
  std::vector<Candidate> kept;
  for (const std::size_t k : nearest_to_envelope(lines, most_candidates)) {
    kept.push_back(candidates[k]);
  }
  return kept;
}

/// The search for a schedule.
class Scheduler {
 public:
  Scheduler(const Yard& yard, const Course& course)
      : costs_(yard), course_(course), calls_(static_cast<double>(course.calls)) {
    const Paths held = costs_.from(yard.valid);
    gather(yard, held);
    measure_ways(held);
    hindsight_ = Hindsight(lines_in_hindsight(yard, held));
    double calls = calls_ + 1;
    for (double& best : best_at_doubling_calls_) {
      best = std::max(hindsight_.at(calls), 1e-12);
      calls *= 2;
    }
  }

  [[nodiscard]] Choice choose() {
    double bound = least_bound;
    if (const auto best = best_within(bound); best.size > 0) return choice_of(best, bound);
    double broken = bound;
    while (bound < never && !can_keep(bound)) {
      broken = bound;
      bound *= bound_growth;
    }
    while (bound > broken * bound_resolution) {
      const double middle = std::sqrt(bound * broken);
      (can_keep(middle) ? bound : broken) = middle;
    }
    const auto best = best_within(bound);
    return best.size > 0 ? choice_of(best, bound) : Choice{candidates_.back().state};
  }

 private:
  /// The state under way first, then the cheaper ones, the cheapest last.
  void gather(const Yard& yard, const Paths& held) {
    for (const YardNode& node : yard.nodes) {
      const double way = costs_.seconds(held, node.state);
      if (way == endless) continue;
      candidates_.push_back(
          {node.state, node.seconds_per_call(), node.once_seconds, way + node.once_seconds});
    }
    if (candidates_.empty()) {
      throw Error(ErrorCode::DeviceUnavailable,
                  "no state can be computed in from where the matrix is", "planner");
    }
    const Candidate start = start_of(yard);
    underway_ = start.rate < endless;
    std::erase_if(candidates_,
                  [&](const Candidate& candidate) { return candidate.rate >= start.rate; });
    std::ranges::sort(candidates_, [](const Candidate& a, const Candidate& b) {
      return a.rate != b.rate ? a.rate > b.rate : a.state > b.state;
    });
    if (candidates_.size() > most_candidates) candidates_ = thinned(candidates_);
    candidates_.insert(candidates_.begin(), start);
  }

  /// Where the products are; before the first, a place of endless cost that must be left at once.
  [[nodiscard]] Candidate start_of(const Yard& yard) const {
    const auto here = std::ranges::find_if(candidates_, [&](const Candidate& candidate) {
      return candidate.state == course_.at &&
             std::ranges::find(yard.valid, candidate.state) != yard.valid.end();
    });
    return here != candidates_.end() ? *here : Candidate{.state = {}, .rate = endless};
  }

  /// What it costs to go on from each candidate to each that is cheaper.
  void measure_ways(const Paths& held) {
    for (std::size_t k = 0; k < candidates_.size(); ++k) from_held_[k] = candidates_[k].entry;
    for (std::size_t from = underway_ ? 0 : 1; from + 1 < candidates_.size(); ++from) {
      const Paths paths = costs_.from({&candidates_[from].state, 1}, held);
      for (std::size_t to = from + 1; to < candidates_.size(); ++to) {
        ways_[from][to] = costs_.seconds(paths, candidates_[to].state) + candidates_[to].once;
      }
    }
  }

  [[nodiscard]] std::vector<CostLine> lines_in_hindsight(const Yard& yard,
                                                         const Paths& held) const {
    const Paths from_origin = costs_.from(course_.origin);
    std::vector<CostLine> lines;
    lines.reserve(yard.nodes.size());
    for (const YardNode& node : yard.nodes) {
      double way = costs_.seconds(from_origin, node.state);
      if (way == endless) way = costs_.seconds(held, node.state);
      if (way == endless) continue;
      lines.push_back({way + node.once_seconds, node.seconds_per_call()});
    }
    return lines;
  }

  // One schedule after another, by their common beginnings: `stretches_[depth]` is the last stretch
  // so far, and each cheaper candidate that can be entered within the bound goes on from there.

  [[nodiscard]] Best best_within(double bound) {
    Best best;
    begin();
    search(bound, 0, beginning(), &best);
    return best;
  }
  [[nodiscard]] bool can_keep(double bound) {
    begin();
    return search(bound, 0, beginning(), nullptr);
  }

  void begin() {
    const Candidate& start = candidates_.front();
    const CostLine total{course_.spent_seconds + start.once - calls_ * start.rate, start.rate};
    stretches_[0] = {0, calls_, underway_ ? total : CostLine{course_.spent_seconds, 0}};
  }
  [[nodiscard]] Prefix beginning() const {
    Prefix prefix;
    prefix.entry = from_held_;
    if (underway_) pass(prefix, 0);
    return prefix;
  }

  /// From now on there is a copy in that candidate too.
  void pass(Prefix& prefix, std::size_t candidate) const {
    for (std::size_t to = candidate + 1; to < candidates_.size(); ++to) {
      prefix.entry[to] = std::min(prefix.entry[to], ways_[candidate][to]);
    }
  }

  /// Looks at every schedule that begins with the stretches up to `depth`; at the first that keeps
  /// the bound where no `best` is asked for. Returns whether there is one.
  bool search(double bound, std::size_t depth, const Prefix& prefix, Best* best) {
    const Stretch& last = stretches_[depth];
    bool found = keeps_for_ever(last, bound);
    if (found && !best) return true;
    if (found) compare(depth, prefix, *best);
    for (std::size_t to = last.candidate + 1; to < candidates_.size(); ++to) {
      if (!enter(to, bound, depth, prefix)) continue;
      Prefix next = prefix;
      compare_until(stretches_[depth + 1].from_calls, last.total, next);
      next.subset |= 1U << (to - 1);
      pass(next, to);
      found = search(bound, depth + 1, next, best) || found;
      if (found && !best) return true;
    }
    return found;
  }

  /// Enters a candidate as soon as the bound allows. Returns whether it can be done at all.
  [[nodiscard]] bool enter(std::size_t to, double bound, std::size_t depth, const Prefix& prefix) {
    const Stretch& last = stretches_[depth];
    const double rate = candidates_[to].rate;
    // Entered after `calls`, the first product there is included in what must be within bounds.
    const CostLine entered{last.total.fixed + prefix.entry[to] + rate - last.total.rate,
                           last.total.rate};
    const double calls = hindsight_.first_within(entered, bound, last.from_calls + 1) - 1;
    if (!(calls < never)) return false;
    if (calls > last.from_calls && !stays(last, bound, calls)) return false;
    const double fixed = last.total.at(calls) + prefix.entry[to] - calls * rate;
    stretches_[depth + 1] = {to, calls, {fixed, rate}};
    return true;
  }

  [[nodiscard]] bool keeps_for_ever(const Stretch& last, double bound) const {
    return last.total.rate <= bound * hindsight_.final_rate() * (1 + rounding) &&
           stays(last, bound, last.from_calls + 1);
  }

  /// Whether the bound holds from the stretch's first product to that number of calls: in between
  /// it does where it does at both ends, since the best in hindsight is concave.
  [[nodiscard]] bool stays(const Stretch& stretch, double bound, double calls) const {
    const bool computes = underway_ || stretch.candidate > 0;
    return computes && keeps(stretch.total, bound, stretch.from_calls + 1) &&
           keeps(stretch.total, bound, calls);
  }

  [[nodiscard]] bool keeps(const CostLine& total, double bound, double calls) const {
    return total.at(calls) <= bound * hindsight_.at(calls) * (1 + rounding);
  }

  /// Multiplies the badness by the ratios to hindsight at doubling numbers of calls, up to `calls`.
  void compare_until(double calls, const CostLine& total, Prefix& prefix) const {
    for (; prefix.compared < horizons_compared; ++prefix.compared) {
      const double doubled = std::ldexp(calls_ + 1, static_cast<int>(prefix.compared));
      if (doubled > calls) return;
      prefix.badness *= total.at(doubled) / best_at_doubling_calls_[prefix.compared];
    }
  }

  void compare(std::size_t depth, Prefix prefix, Best& best) const {
    compare_until(endless, stretches_[depth].total, prefix);
    const bool is_better = prefix.badness < best.badness ||
                           (prefix.badness == best.badness && prefix.subset < best.subset);
    if (best.size > 0 && !is_better) return;
    best.badness = prefix.badness;
    best.subset = prefix.subset;
    best.size = depth + 1;
    std::copy_n(stretches_.begin(), best.size, best.stretches.begin());
  }

  [[nodiscard]] Choice choice_of(const Best& best, double bound) const {
    std::size_t now = 0;
    while (now + 1 < best.size && best.stretches[now + 1].from_calls <= calls_) ++now;
    Choice choice{.target = candidates_[best.stretches[now].candidate].state, .bound = bound};
    if (now + 1 < best.size) {
      choice.until_calls = static_cast<Index>(best.stretches[now + 1].from_calls);
    }
    return choice;
  }

  const PathCosts costs_;
  const Course& course_;
  const double calls_;
  bool underway_ = false;
  std::vector<Candidate> candidates_;
  std::array<double, most_candidates + 1> from_held_{};
  std::array<std::array<double, most_candidates + 1>, most_candidates + 1> ways_{};
  std::array<Stretch, most_candidates + 1> stretches_{};
  Hindsight hindsight_;
  std::array<double, horizons_compared> best_at_doubling_calls_{};
};

}  // namespace

Choice choose_for_unknown_calls(const Yard& yard, const Course& course) try {
  return Scheduler(yard, course).choose();
} catch (const std::bad_alloc&) {
  throw_out_of_memory();
}

}  // namespace switchyard
