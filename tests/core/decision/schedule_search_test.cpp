// Schedules for an unknown number of calls, against all there are, call by call.
#include "schedule_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>

namespace switchyard {
namespace {

constexpr int doublings = static_cast<int>(horizons_compared);
constexpr int most_calls = 1 << (doublings - 1);

/// Calls under way in the first of some states, each with a lower rate than the one before it.
ScheduleProblem random_problem(std::size_t states, std::mt19937_64& engine) {
  std::uniform_real_distribution<double> factor(1.5, 4);
  ScheduleProblem problem;
  problem.underway = true;
  std::vector<CostLine> lines;
  double rate = 10;
  double entry = 0;
  for (std::size_t k = 0; k < states; ++k, rate /= factor(engine)) {
    problem.candidates.push_back({.state = {}, .rate = rate, .once = 0, .entry = entry});
    lines.push_back({entry, rate});
    for (std::size_t from = 0; from < k; ++from) {
      problem.ways[from][k] = from == 0 ? entry : entry / factor(engine);
    }
    entry = entry == 0 ? 20 : entry * factor(engine);
  }
  problem.hindsight = Hindsight(lines);
  return problem;
}

/// The sum of the ratios to hindsight after 1, 2, 4, ... calls, each with 0.85 of the weight of the
/// one before, of the schedule that enters the candidates in `subset` as early as the bound allows;
/// nothing where it does not keep the bound.
std::optional<double> badness_of(const ScheduleProblem& problem, unsigned subset, double bound) {
  std::vector<std::size_t> held{0};
  double total = 0;
  double badness = 0;
  double weight = 1;
  for (int calls = 1; calls <= most_calls; ++calls) {
    const double most = bound * problem.hindsight.at(calls);
    while (subset >> (held.back()) != 0) {
      std::size_t next = held.back() + 1;
      while ((subset >> (next - 1) & 1) == 0) ++next;
      double way = problem.candidates[next].entry;
      for (const std::size_t from : held) way = std::min(way, problem.ways[from][next]);
      if (total + way + problem.candidates[next].rate > most) break;
      total += way;
      held.push_back(next);
    }
    total += problem.candidates[held.back()].rate;
    if (total > most * (1 + 1e-9)) return std::nullopt;
    if ((calls & (calls - 1)) != 0) continue;
    badness += weight * total / problem.hindsight.at(calls);
    weight *= 0.85;
  }
  return subset >> held.back() == 0 ? std::optional(badness) : std::nullopt;
}

TEST(ScheduleSearch, FindsTheScheduleNearestToHindsightOfAllWithinTheBound) {
  std::mt19937_64 engine(1);
  int several = 0;
  for (int k = 0; k < 60; ++k) {
    const std::size_t states = 2 + static_cast<std::size_t>(k) % 3;
    const ScheduleProblem problem = random_problem(states, engine);
    const double bound = 2.5;
    std::optional<double> least;
    int kept = 0;
    for (unsigned subset = 0; subset < 1U << (states - 1); ++subset) {
      const auto badness = badness_of(problem, subset, bound);
      if (!badness) continue;
      ++kept;
      least = std::min(least.value_or(*badness), *badness);
    }
    several += kept > 1 ? 1 : 0;
    ScheduleSearch search(problem);
    EXPECT_EQ(search.can_keep(bound), least.has_value());
    const Schedule best = search.best_within(bound);
    ASSERT_EQ(best.size > 0, least.has_value());
    if (!least) continue;
    EXPECT_NEAR(best.badness / *least, 1, 1e-9) << k;
    EXPECT_NEAR(badness_of(problem, best.subset, bound).value_or(0) / *least, 1, 1e-9) << k;
  }
  EXPECT_GT(several, 20) << "else there is nothing to choose";
}

}  // namespace
}  // namespace switchyard
