// Timing an operation so that the figure can be believed.
#pragma once

#include <functional>
#include <limits>

namespace switchyard {

using Clock = std::function<double()>;

/// Seconds of the steady clock.
[[nodiscard]] double steady_seconds();

/// What a measurement is timed with.
struct Instruments {
  Clock clock = &steady_seconds;
  /// The longest time that a thread of this process has waited for a processor since the last call,
  /// in seconds. Infinite where it is known only that a thread had to wait. Absent: nobody waits.
  std::function<double()> waited = {};
  /// Lets so many seconds pass without using a processor. Absent: waits do not end by it.
  std::function<void(double)> pause = {};
};

/// The instruments of this system: run-queue waits where it counts them, else involuntary context
/// switches.
[[nodiscard]] Instruments system_instruments();

/// How long to go on with one measurement. It ends sooner where the least repetitions are done and
/// the quickest quarter of at least eight agree within 3 %.
struct Patience {
  int least_repetitions = 5;
  int most_repetitions = 25;
  double seconds = 0.03;          ///< enough once these are spent and the least done
  double batch_seconds = 5e-5;    ///< shorter operations are timed several in a row
  double warm_up_seconds = 2e-3;  ///< not timed: caches fill, threads and clocks wake up
  int more_rounds = 2;            ///< at most, where the first was disturbed
  /// How often to pause, at most, because a thread had to wait for a processor.
  int most_pauses = 9;
  /// An operation that takes longer than this is timed a few times only: it is far from the fastest
  /// of those that it is compared with, and need not be known well.
  double slow_seconds = std::numeric_limits<double>::infinity();

  /// The same for who has only that share of the time.
  [[nodiscard]] Patience hurried(double share) const;
};

/// The outcome of a measurement.
struct Timing {
  double seconds = 0;  ///< of one operation; 0 where the clock gave nothing to believe
  /// Whether threads had to wait for a processor in nearly all repetitions, so that `seconds` is
  /// uncertain by more than a quarter.
  bool disturbed = false;
  bool waited = false;  ///< whether a thread had to wait for long in any of them
};

/// The time of one undisturbed `operation`, after two that do not count: the first quartile of the
/// repetitions in which no thread had to wait for a processor. `settle` returns when the operations
/// asked for are done; it is timed with each batch.
///
/// After a long wait it pauses, at first briefly, then for some milliseconds. Threads that sleep
/// meanwhile are given a processor at once when they wake up, and the next repetitions are
/// undisturbed. Without a pause two threads that wait for each other may be off their processors in
/// turn, in all repetitions. Where too few repetitions were undisturbed, `seconds` is the least of
/// the times without the waits, as far as these are known.
[[nodiscard]] Timing typical_seconds(const Instruments& instruments, const Patience& patience,
                                     const std::function<void()>& operation,
                                     const std::function<void()>& settle);

/// The time of an operation that can be done only once, without the waits as above.
[[nodiscard]] Timing seconds_of_one(const Instruments& instruments,
                                    const std::function<void()>& operation);

}  // namespace switchyard
