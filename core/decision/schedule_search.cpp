// Growing schedules stretch by stretch, as long as they keep the bound.
#include "schedule_search.hpp"

#include <algorithm>
#include <cmath>

namespace switchyard {
namespace {

// How likely it is that as many calls follow as were made: what comes soon counts more. Of 0.6 to 1
// this lost the least on recorded costs of real matrices.
constexpr double doubling_likelihood = 0.85;

}  // namespace

ScheduleSearch::ScheduleSearch(const ScheduleProblem& problem) : problem_(problem) {
  double likelihood = 1;
  for (std::size_t k = 0; k < horizons_compared; ++k) {
    const double calls = std::ldexp(problem.calls + 1, static_cast<int>(k));
    weights_[k] = likelihood / std::max(problem.hindsight.at(calls), 1e-12);
    likelihood *= doubling_likelihood;
  }
}

Schedule ScheduleSearch::best_within(double bound) {
  Schedule best;
  static_cast<void>(search(bound, &best));
  return best;
}

bool ScheduleSearch::can_keep(double bound) { return search(bound, nullptr); }

/// With no `best` asked for, stops at the first schedule found.
bool ScheduleSearch::search(double bound, Schedule* best) {
  if (problem_.candidates.size() > most_tried + 1) return follow_lowest(bound, best);
  const Prefix prefix = beginning();
  stretches_[0] = prefix.last;
  return try_all(bound, prefix, best);
}

ScheduleSearch::Prefix ScheduleSearch::beginning() const {
  const Candidate& start = problem_.candidates.front();
  Prefix prefix;
  prefix.last = {0, problem_.calls, {problem_.spent_seconds, 0}};
  for (std::size_t k = 0; k < problem_.candidates.size(); ++k) {
    prefix.entry[k] = problem_.candidates[k].entry;
  }
  if (!problem_.underway) return prefix;
  prefix.last.total = {problem_.spent_seconds + start.once - problem_.calls * start.rate,
                       start.rate};
  pass(prefix, 0);
  return prefix;
}

/// From now on there is a copy in that candidate too.
void ScheduleSearch::pass(Prefix& prefix, std::size_t candidate) const {
  for (std::size_t to = candidate + 1; to < problem_.candidates.size(); ++to) {
    prefix.entry[to] = std::min(prefix.entry[to], problem_.ways[candidate][to]);
  }
}

ScheduleSearch::Prefix ScheduleSearch::extended(const Prefix& prefix,
                                                const Stretch& stretch) const {
  Prefix next = prefix;
  compare_until(stretch.from_calls, next);
  next.last = stretch;
  next.subset |= 1U << (stretch.candidate - 1);
  ++next.depth;
  pass(next, stretch.candidate);
  return next;
}

/// Looks at every schedule that begins like that.
bool ScheduleSearch::try_all(double bound, const Prefix& prefix, Schedule* best) {
  bool found = keeps_for_ever(prefix.last, bound);
  if (found && !best) return true;
  if (found) {
    Prefix whole = prefix;
    if (is_better(whole, *best)) {
      *best = {whole.badness, whole.subset, stretches_, whole.depth + 1};
    }
  }
  for (std::size_t to = prefix.last.candidate + 1; to < problem_.candidates.size(); ++to) {
    Stretch& stretch = stretches_[prefix.depth + 1];
    if (!enter(to, bound, prefix, stretch)) continue;
    found = try_all(bound, extended(prefix, stretch), best) || found;
    if (found && !best) return true;
  }
  return found;
}

bool ScheduleSearch::follow_lowest(double bound, Schedule* best) const {
  struct Label {
    Prefix prefix;
    std::size_t before = 0;
    bool reached = false;
  };
  std::vector<Label> labels(problem_.candidates.size());
  labels[0] = {beginning(), 0, true};
  bool found = false;
  for (std::size_t at = 0; at < labels.size(); ++at) {
    const Label& label = labels[at];
    if (!label.reached) continue;
    if (keeps_for_ever(label.prefix.last, bound)) {
      found = true;
      if (!best) return true;
      Prefix whole = label.prefix;
      if (is_better(whole, *best)) {
        *best = {whole.badness, whole.subset, {}, whole.depth + 1};
        for (std::size_t k = at, depth = whole.depth + 1; depth-- > 0; k = labels[k].before) {
          best->stretches[depth] = labels[k].prefix.last;
        }
      }
    }
    for (std::size_t to = at + 1; to < labels.size(); ++to) {
      Stretch stretch;
      if (!enter(to, bound, label.prefix, stretch)) continue;
      const bool is_lower =
          !labels[to].reached || stretch.total.fixed < labels[to].prefix.last.total.fixed;
      if (is_lower) labels[to] = {extended(label.prefix, stretch), at, true};
    }
  }
  return found;
}

/// Enters a candidate as soon as the bound allows. Returns whether it can be done at all.
bool ScheduleSearch::enter(std::size_t to, double bound, const Prefix& prefix,
                           Stretch& stretch) const {
  const Stretch& last = prefix.last;
  const double rate = problem_.candidates[to].rate;
  const double entry = prefix.entry[to];
  // Entered after `calls`, the first call there is included in what must be within the bound.
  const CostLine entered{last.total.fixed + entry + rate - last.total.rate, last.total.rate};
  const double calls = problem_.hindsight.first_within(entered, bound, last.from_calls + 1) - 1;
  if (!(calls < never || calls <= last.from_calls)) return false;
  if (calls > last.from_calls && !stays(last, bound, calls)) return false;
  stretch = {to, calls, {last.total.at(calls) + entry - calls * rate, rate}};
  return true;
}

bool ScheduleSearch::keeps_for_ever(const Stretch& last, double bound) const {
  return last.total.rate <= bound * problem_.hindsight.final_rate() * (1 + rounding) &&
         stays(last, bound, last.from_calls + 1);
}

/// Whether the bound holds from the stretch's first call to that number of calls: in between it
/// does where it does at both ends, since the best in hindsight is concave.
bool ScheduleSearch::stays(const Stretch& stretch, double bound, double calls) const {
  const bool computes = problem_.underway || stretch.candidate > 0;
  return computes && keeps(stretch.total, bound, stretch.from_calls + 1) &&
         keeps(stretch.total, bound, calls);
}

bool ScheduleSearch::keeps(const CostLine& total, double bound, double calls) const {
  return total.at(calls) <= bound * problem_.hindsight.at(calls) * (1 + rounding);
}

/// Adds the last stretch's ratios to hindsight at doubling numbers of calls, up to `calls`.
void ScheduleSearch::compare_until(double calls, Prefix& prefix) const {
  for (; prefix.compared < horizons_compared; ++prefix.compared) {
    const double doubled = std::ldexp(problem_.calls + 1, static_cast<int>(prefix.compared));
    if (doubled > calls) return;
    prefix.badness += prefix.last.total.at(doubled) * weights_[prefix.compared];
  }
}

/// Compares the whole schedule that the prefix is. Among equals the one with the lower subset goes
/// first, so that the same problem always has the same answer.
bool ScheduleSearch::is_better(Prefix& prefix, const Schedule& best) const {
  compare_until(endless, prefix);
  return best.size == 0 || prefix.badness < best.badness ||
         (prefix.badness == best.badness && prefix.subset < best.subset);
}

}  // namespace switchyard
