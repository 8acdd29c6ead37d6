// Timing several ways of doing the same, in turn, so that what disturbs one disturbs all.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace switchyard::command::bench {

/// One way of doing it. `call` may return before the work is done; `settle` waits for it. Either
/// may throw.
struct Racer {
  std::string name;
  std::function<void()> call;
  std::function<void()> settle = [] {};
  /// Whether it has threads of its own, which OpenMP's must not keep from their processors: those
  /// of the racer before spin for some milliseconds after its batch.
  bool own_threads = false;
};

/// Which of several times counts: the median, as a disturbed one says nothing of the work; or their
/// mean, as a program that runs beside others pays for every stall.
enum class Counts { Median, Mean };

/// The median or the mean; 0 of nothing.
[[nodiscard]] double that_counts(std::vector<double> values, Counts counts);

/// Seconds of one call in each repetition, in the order of the repetitions; or why there are none.
struct Laps {
  std::vector<double> seconds;
  std::string failure;
  Counts counts = Counts::Median;
  [[nodiscard]] double per_call() const { return that_counts(seconds, counts); }
};

struct RaceOptions {
  int repetitions = 9;
  double batch_seconds = 4e-3;  ///< shorter calls are timed several in a row
  Counts counts = Counts::Median;
  /// After so long, and five repetitions, no other one begins: all racers have made as many.
  double most_seconds = std::numeric_limits<double>::infinity();
};

/// Every racer's batch in turn, repetition after repetition, each of which begins with another
/// racer; before each batch the racer warms up, which is not timed. One that throws is out.
[[nodiscard]] std::vector<Laps> race(const std::vector<Racer>& racers, const RaceOptions& options);

/// The median; 0 of nothing.
[[nodiscard]] double median_of(std::vector<double> values);

/// How many times as fast as the other one. With medians, over the repetitions of other / mine:
/// paired, as a machine that changes speed between two repetitions changes both sides of a pair.
[[nodiscard]] double speedup(const Laps& mine, const Laps& other);

}  // namespace switchyard::command::bench
