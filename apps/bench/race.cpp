// Batches in turn.
#include "race.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>

#include "command/run.hpp"

namespace switchyard::command::bench {
namespace {

constexpr double longest_batch = 1e5;  // calls
constexpr double warm_up_seconds = 2e-4;
/// Longer than OpenMP's threads spin. To sleep meanwhile would let a virtual machine's processors
/// sleep, which take milliseconds to come back.
constexpr double warm_up_beside_openmp = 12e-3;
constexpr double needs_no_warm_up = 0.02;  // whoever takes that long is out of every cache anyway

double run_batch(const Racer& racer, int calls) {
  const double seconds = seconds_of([&] {
    for (int i = 0; i < calls; ++i) racer.call();
    racer.settle();
  });
  return seconds / calls;
}

/// A racer, how many calls its batch has, and about how long one takes.
struct Runner {
  const Racer& racer;
  Laps laps = {};
  int batch = 1;
  double guess = 0;

  void find_batch(double batch_seconds) {
    run_batch(racer, 1);
    guess = run_batch(racer, 1);
    // A call that is waited for at once takes longer than one of many: ask again, with more.
    while (guess * batch < batch_seconds && batch < longest_batch) {
      const double wanted = std::ceil(1.2 * batch_seconds / std::max(guess, 1e-9));
      batch =
          static_cast<int>(std::clamp(wanted, batch + 1.0, std::min(8.0 * batch, longest_batch)));
      guess = run_batch(racer, batch);
    }
  }

  void warm_up() const {
    if (guess > needs_no_warm_up) return;
    const double seconds = racer.own_threads ? warm_up_beside_openmp : warm_up_seconds;
    run_batch(racer, static_cast<int>(std::ceil(seconds / std::max(guess, 1e-7))));
  }

  void lap() {
    attempt([&] {
      warm_up();
      laps.seconds.push_back(run_batch(racer, batch));
    });
  }

  /// Runs `work` unless an earlier one failed.
  template <class Work>
  void attempt(Work&& work) {
    if (!laps.failure.empty()) return;
    try {
      work();
    } catch (const std::exception& error) {
      laps = {{}, error.what(), laps.counts};
    }
  }
};

}  // namespace

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  return Run{.seconds = std::move(values), .history = {}}.median();
}

double that_counts(std::vector<double> values, Counts counts) {
  if (counts == Counts::Median) return median_of(std::move(values));
  if (values.empty()) return 0;
  return std::reduce(values.begin(), values.end()) / static_cast<double>(values.size());
}

double speedup(const Laps& mine, const Laps& other) {
  if (mine.counts == Counts::Mean) return other.per_call() / mine.per_call();
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(mine.seconds.size(), other.seconds.size()); ++i) {
    ratios.push_back(other.seconds[i] / mine.seconds[i]);
  }
  return median_of(std::move(ratios));
}

std::vector<Laps> race(const std::vector<Racer>& racers, const RaceOptions& options) {
  std::vector<Runner> runners;
  for (const Racer& racer : racers)
    runners.push_back({.racer = racer, .laps = {{}, {}, options.counts}});
  for (Runner& runner : runners) runner.attempt([&] { runner.find_batch(options.batch_seconds); });
  constexpr std::size_t fewest = 5;
  double spent = 0;
  for (std::size_t r = 0; r < static_cast<std::size_t>(options.repetitions); ++r) {
    if (r >= fewest && spent >= options.most_seconds) break;
    spent += seconds_of([&] {
      for (std::size_t i = 0; i < runners.size(); ++i) runners[(i + r) % runners.size()].lap();
    });
  }
  std::vector<Laps> laps;
  for (Runner& runner : runners) laps.push_back(std::move(runner.laps));
  return laps;
}

}  // namespace switchyard::command::bench
