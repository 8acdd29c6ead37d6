// Timing an operation so that the figure can be believed.
#pragma once

#include <functional>
#include <limits>

namespace switchyard {

using Clock = std::function<double()>;

/// Seconds of the steady clock.
[[nodiscard]] double steady_seconds();

/// How long to go on with one measurement. It ends sooner where the least repetitions are done and
/// the quickest quarter of at least eight agree within 3 %.
struct Patience {
  int least_repetitions = 5;
  int most_repetitions = 25;
  double seconds = 0.03;          ///< enough once these are spent and the least done
  double batch_seconds = 5e-5;    ///< shorter operations are timed several in a row
  double warm_up_seconds = 2e-3;  ///< not timed: caches fill, threads and clocks wake up
  int more_rounds = 2;            ///< at most, where the first was disturbed
  /// An operation that takes longer than this is timed a few times only: it is far from the fastest
  /// of those that it is compared with, and need not be known well.
  double slow_seconds = std::numeric_limits<double>::infinity();

  /// The same for who has only that share of the time.
  [[nodiscard]] Patience hurried(double share) const;
};

/// The time of one undisturbed `operation` (the first quartile of its repetitions), in seconds,
/// after two that do not count; 0 where the clock gave nothing to believe. `settle` returns when
/// the operations asked for are done; it is timed with each batch.
[[nodiscard]] double typical_seconds(const Clock& clock, const Patience& patience,
                                     const std::function<void()>& operation,
                                     const std::function<void()>& settle);

}  // namespace switchyard
