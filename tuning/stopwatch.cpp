// Batches of short operations, quartiles of batches.
#include "stopwatch.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace switchyard {
namespace {

constexpr int largest_batch = 1000;
constexpr double steady_spread = 1.3;
/// So many repetitions are enough where the quickest quarter of them agree.
constexpr std::size_t enough_if_agreed = 8;
constexpr double agreed_spread = 1.03;

/// The outcome of some repetitions. What disturbs a measurement only ever adds to it, and on some
/// machines does so half of the time: the first quartile stays the same where the median jumps.
/// What a clock gives that goes back or is broken is left out; with nothing left, all is 0.
struct Round {
  double fastest = 0;
  double first_quartile = 0;
  [[nodiscard]] bool within(double spread) const { return first_quartile <= spread * fastest; }
  [[nodiscard]] bool better_than(const Round& other) const {
    if (!(first_quartile > 0)) return false;
    return !(other.first_quartile > 0) || first_quartile < other.first_quartile;
  }
};

Round round_of(std::vector<double>& times) {
  if (times.empty()) return {};
  const auto quartile = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 4);
  std::ranges::nth_element(times, quartile);
  return {*std::ranges::min_element(times), *quartile};
}

Round one_round(const Clock& clock, const Patience& patience,
                const std::function<double()>& repetition) {
  std::vector<double> times;
  const double start = clock();
  for (int i = 0; i < patience.most_repetitions; ++i) {
    if (i >= patience.least_repetitions && clock() - start > patience.seconds) break;
    const double seconds = repetition();
    if (seconds >= 0 && std::isfinite(seconds)) times.push_back(seconds);
    const bool may_end = i + 1 >= patience.least_repetitions && times.size() >= enough_if_agreed;
    if (may_end && round_of(times).within(agreed_spread)) break;
  }
  return round_of(times);
}

}  // namespace

Patience Patience::hurried(double share) const {
  Patience less = *this;
  const auto part = [share](int count) { return static_cast<int>(std::ceil(share * count)); };
  less.least_repetitions = std::min(least_repetitions, 3);
  less.most_repetitions = std::max(part(most_repetitions), less.least_repetitions);
  less.seconds *= share;
  less.batch_seconds *= share;
  less.warm_up_seconds *= share;
  less.more_rounds = part(more_rounds);
  return share < 1 ? less : *this;
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double typical_seconds(const Clock& clock, const Patience& patience,
                       const std::function<void()>& operation,
                       const std::function<void()>& settle) {
  const auto run = [&](int times) {
    const double start = clock();
    for (int i = 0; i < times; ++i) operation();
    settle();
    return (clock() - start) / times;
  };
  double guess = run(1);
  if (guess > patience.slow_seconds) {
    // Not the first call: it may have built or allocated something.
    Patience few = patience;
    few.least_repetitions = few.most_repetitions = 2;
    const Round quick = one_round(clock, few, [&] { return run(1); });
    if (quick.fastest > patience.slow_seconds) return quick.fastest;
  }
  const double warm = clock() + patience.warm_up_seconds;
  for (int i = 0; i < largest_batch && (i == 0 || clock() < warm); ++i) guess = run(1);
  const double wanted = guess > 0 ? std::ceil(patience.batch_seconds / guess) : 1;
  const int batch = static_cast<int>(std::clamp(wanted, 1.0, double{largest_batch}));

  // A round whose quartile is far from its fastest was disturbed all along: threads that wait for a
  // processor another process has, say. The quietest of a few rounds is taken.
  Round quietest = one_round(clock, patience, [&] { return run(batch); });
  for (int more = 0; more < patience.more_rounds && !quietest.within(steady_spread); ++more) {
    const Round again = one_round(clock, patience, [&] { return run(batch); });
    if (again.better_than(quietest)) quietest = again;
  }
  return quietest.first_quartile;
}

}  // namespace switchyard
