// The rule for an unknown number of calls: the schedule that is followed now, and until when.
#include <algorithm>
#include <cmath>
#include <switchyard/containers/error.hpp>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/core/policy.hpp>

#include "path_costs.hpp"
#include "schedule_search.hpp"

namespace switchyard {
namespace {

// Two states never need more.
constexpr double least_bound = 2;
// Where no schedule keeps that, the bound is raised by this factor until one does, and then found
// to within the resolution.
constexpr double bound_growth = 1.5;
constexpr double bound_resolution = 1.005;

std::vector<Candidate> reachable_candidates(const Yard& yard, const PathCosts& costs,
                                            const Paths& held) {
  std::vector<Candidate> candidates;
  candidates.reserve(yard.nodes.size() + 1);
  for (const YardNode& node : yard.nodes) {
    const double way = costs.seconds(held, node.state);
    if (way == endless) continue;
    candidates.push_back(
        {node.state, node.seconds_per_call(), node.once_seconds, way + node.once_seconds});
  }
  if (!candidates.empty()) return candidates;
  throw Error(ErrorCode::DeviceUnavailable,
              "no state with a known multiplication can be reached from where the matrix is",
              "planner");
}

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

/// The state that the calls are in; before the first, a place of endless cost that must be left at
/// once.
Candidate start_of(const Yard& yard, const Course& course,
                   const std::vector<Candidate>& candidates) {
  const auto here = std::ranges::find_if(candidates, [&](const Candidate& candidate) {
    return candidate.state == course.at && yard.is_valid(candidate.state);
  });
  return here != candidates.end() ? *here : Candidate{.state = {}, .rate = endless};
}

void add_candidates(ScheduleProblem& problem, const Yard& yard, const Course& course,
                    std::vector<Candidate> candidates) {
  const Candidate start = start_of(yard, course, candidates);
  problem.underway = start.rate < endless;
  std::erase_if(candidates,
                [&](const Candidate& candidate) { return candidate.rate >= start.rate; });
  std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
    return a.rate != b.rate ? a.rate > b.rate : a.state > b.state;
  });
  if (candidates.size() > most_candidates) candidates = thinned(candidates);
  candidates.insert(candidates.begin(), start);
  problem.candidates = std::move(candidates);
}

/// What it costs to go on from each candidate to each that is cheaper.
void add_ways(ScheduleProblem& problem, const PathCosts& costs, const Paths& held) {
  const std::vector<Candidate>& candidates = problem.candidates;
  for (std::size_t from = problem.underway ? 0 : 1; from + 1 < candidates.size(); ++from) {
    const Paths paths = costs.from({&candidates[from].state, 1}, held);
    for (std::size_t to = from + 1; to < candidates.size(); ++to) {
      problem.ways[from][to] = costs.seconds(paths, candidates[to].state) + candidates[to].once;
    }
  }
}

Hindsight hindsight_of(const Yard& yard, const PathCosts& costs, const Paths& from_origin,
                       const Paths& held) {
  std::vector<CostLine> lines;
  lines.reserve(yard.nodes.size());
  for (const YardNode& node : yard.nodes) {
    double way = costs.seconds(from_origin, node.state);
    if (way == endless) way = costs.seconds(held, node.state);
    if (way == endless) continue;
    lines.push_back({way + node.once_seconds, node.seconds_per_call()});
  }
  return Hindsight(lines);
}

ScheduleProblem problem_of(const Yard& yard, const Course& course) {
  const PathCosts costs(yard);
  const Paths held = costs.from(yard.valid);
  ScheduleProblem problem;
  problem.calls = static_cast<double>(course.calls);
  problem.spent_seconds = course.spent_seconds;
  add_candidates(problem, yard, course, reachable_candidates(yard, costs, held));
  add_ways(problem, costs, held);
  const bool at_origin = course.origin == yard.valid;
  problem.hindsight = hindsight_of(yard, costs, at_origin ? held : costs.from(course.origin), held);
  return problem;
}

/// The least bound that a schedule keeps, from `least_bound` on.
double smallest_bound(ScheduleSearch& search) {
  double broken = least_bound;
  double bound = least_bound * bound_growth;
  while (bound < never && !search.can_keep(bound)) {
    broken = bound;
    bound *= bound_growth;
  }
  while (bound > broken * bound_resolution) {
    const double middle = std::sqrt(bound * broken);
    (search.can_keep(middle) ? bound : broken) = middle;
  }
  return bound;
}

Choice choice_of(const ScheduleProblem& problem, const Schedule& schedule, double bound) {
  std::size_t now = 0;
  while (now + 1 < schedule.size && schedule.stretches[now + 1].from_calls <= problem.calls) ++now;
  Choice choice{.target = problem.candidates[schedule.stretches[now].candidate].state,
                .bound = bound};
  if (now + 1 < schedule.size) {
    choice.until_calls = static_cast<Index>(schedule.stretches[now + 1].from_calls);
  }
  return choice;
}

}  // namespace

Choice choose_for_unknown_calls(const Yard& yard, const Course& course) try {
  const ScheduleProblem problem = problem_of(yard, course);
  ScheduleSearch search(problem);
  double bound = least_bound;
  Schedule schedule = search.best_within(bound);
  if (schedule.size == 0) {
    bound = smallest_bound(search);
    schedule = search.best_within(bound);
  }
  // After more calls than are ever made, what counts is each further one.
  if (schedule.size == 0) return {.target = problem.candidates.back().state, .bound = bound};
  return choice_of(problem, schedule, bound);
} catch (const std::bad_alloc&) {
  throw_out_of_memory();
}

}  // namespace switchyard
