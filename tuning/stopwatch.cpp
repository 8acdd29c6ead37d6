// Batches of short operations, quartiles of batches, pauses where other programs have the
// processor.
#include "stopwatch.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <switchyard/containers/machine_load.hpp>
#include <switchyard/containers/run_queue_waits.hpp>
#include <thread>
#include <vector>

namespace switchyard {
namespace {

constexpr int largest_batch = 1000;
constexpr double steady_spread = 1.3;
/// So many repetitions are enough where the quickest quarter of them agree.
constexpr std::size_t enough_if_agreed = 8;
constexpr double agreed_spread = 1.03;
/// So many undisturbed repetitions are enough on a busy machine.
constexpr std::size_t enough_undisturbed = 3;
/// A repetition is undisturbed where no thread waited longer than this share of it, or for so many
/// seconds. Threads of one OpenCL device on the processor wait for each other: that is shorter.
constexpr double small_share = 0.03;
constexpr double short_wait = 2e-4;
/// A thread that waits for all of a repetition disturbs it, unless it is just waking up.
constexpr double waking_up = 1.5e-5;
/// The time without the waits is believed where they are no more than the first of these shares,
/// and used, as uncertain, up to the second.
constexpr double certain_share = 0.2;
constexpr double useful_share = 0.67;
/// A wait as long as this comes from a program that has the processor for its time slice.
constexpr double long_wait = 5e-4;
/// A thread of this process that was woken on this very processor gets it for so long, and sleeps
/// again. Nearly all long waits on a quiet machine are of that kind.
constexpr double first_pause_seconds = 5e-4;
/// A thread that slept for some milliseconds goes before one that has computed all the time.
constexpr double pause_seconds = 5e-3;
/// An operation that takes so many times what is slow is timed once.
constexpr double very_slow = 10;
/// An operation of a time slice or more is interrupted whatever was before.
constexpr double time_slice = 3e-3;

/// One repetition.
struct Lap {
  double seconds = 0;  ///< of one operation
  double waited = 0;   ///< the share of it that a thread waited; 1 where all may have been waits

  [[nodiscard]] bool possible() const { return seconds >= 0 && std::isfinite(seconds); }
  [[nodiscard]] bool undisturbed() const { return waited <= small_share; }
  /// Without the waits, where they leave enough to be believed.
  [[nodiscard]] double without_waits() const {
    return waited <= useful_share ? seconds * (1 - waited) : seconds;
  }
};

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

Round round_of(std::vector<double> times) {
  if (times.empty()) return {};
  const auto quartile = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 4);
  std::ranges::nth_element(times, quartile);
  return {*std::ranges::min_element(times), *quartile};
}

std::vector<double> undisturbed(const std::vector<Lap>& laps) {
  std::vector<double> times;
  for (const Lap& lap : laps) {
    if (lap.undisturbed()) times.push_back(lap.seconds);
  }
  return times;
}

/// One measurement.
class Measurement {
 public:
  Measurement(const Instruments& instruments, const Patience& patience,
              const std::function<void()>& operation, const std::function<void()>& settle)
      : instruments_(instruments), patience_(patience), operation_(operation), settle_(settle) {}

  Timing run_once() {
    keep(lap(1));
    Timing timing = outcome();
    // One thread does nearly all of a build: without its waits the time is right.
    timing.disturbed = !laps_.empty() && laps_.front().waited > useful_share;
    return timing;
  }

  Timing run() {
    Lap guess = lap(1);
    if (is_slow(guess)) {
      // Not the first call: it may have built or allocated something.
      guess = lap(1);
      keep(guess);
      if (guess.without_waits() <= very_slow * patience_.slow_seconds) keep(lap(1));
      const Timing timing = outcome();
      if (timing.seconds > patience_.slow_seconds) return timing;
      laps_.clear();
    }
    choose_batch(guess);
    // A round whose quartile is far from its fastest was disturbed all along in a way that nobody
    // counts. The quietest of a few rounds is taken.
    Round quietest = one_round();
    for (int more = 0; more < patience_.more_rounds && pauses_ == 0; ++more) {
      if (quietest.within(steady_spread)) break;
      const Round again = one_round();
      if (again.better_than(quietest)) quietest = again;
    }
    return quietest.first_quartile > 0 ? Timing{quietest.first_quartile, false, waited_}
                                       : outcome();
  }

 private:
  [[nodiscard]] double now() const { return instruments_.clock(); }
  [[nodiscard]] double waited() const { return instruments_.waited ? instruments_.waited() : 0; }

  /// Times a batch. Reading the waits takes so long that threads may fall asleep, so that some
  /// operations before it wake them up.
  Lap lap(int times, int before = 0) {
    static_cast<void>(waited());
    for (int i = 0; i < before; ++i) operation_();
    if (before > 0) settle_();
    const double start = now();
    for (int i = 0; i < times; ++i) operation_();
    settle_();
    const double seconds = now() - start;
    const double wait = waited();
    const bool all_along = wait >= std::max(seconds, waking_up);
    was_stalled_ = wait > long_wait || all_along;
    waited_ |= was_stalled_;
    if (!all_along && !(wait > short_wait)) return {seconds / times, 0};
    return {seconds / times, wait < seconds ? wait / seconds : 1};
  }

  void keep(const Lap& lap) {
    if (lap.possible()) laps_.push_back(lap);
  }

  [[nodiscard]] bool may_pause() const {
    return instruments_.pause && pauses_ < patience_.most_pauses;
  }

  /// After a long wait. The first call after a pause wakes threads up and does not count.
  void pause_if_stalled() {
    if (!was_stalled_ || !may_pause()) return;
    instruments_.pause(pauses_ == 0 ? first_pause_seconds : pause_seconds);
    ++pauses_;
    static_cast<void>(lap(1));
    was_stalled_ = false;
  }

  [[nodiscard]] bool is_slow(const Lap& lap) const {
    return lap.without_waits() > patience_.slow_seconds && lap.waited <= useful_share;
  }

  /// How many operations to time in a row, by the last of some that warm up.
  void choose_batch(Lap guess) {
    const double warm = now() + patience_.warm_up_seconds;
    for (int i = 0; i < largest_batch; ++i) {
      const bool tells_nothing = guess.waited > useful_share && may_pause();
      if (i > 0 && !tells_nothing && !(now() < warm)) break;
      pause_if_stalled();
      const Lap next = lap(1);
      if (next.undisturbed() || !guess.undisturbed()) guess = next;
    }
    const double seconds = guess.without_waits();
    const double wanted = seconds > 0 ? std::ceil(patience_.batch_seconds / seconds) : 1;
    batch_ = static_cast<int>(std::clamp(wanted, 1.0, double{largest_batch}));
    const double least = seconds > 0 ? std::ceil(waking_up / seconds) : 1;
    least_batch_ = static_cast<int>(std::clamp(least, 1.0, double{largest_batch}));
    is_long_ = seconds > time_slice && guess.waited <= useful_share;
  }

  /// Of the undisturbed repetitions; 0 where there were not enough of them.
  Round one_round() {
    laps_.clear();
    const double start = now();
    for (int i = 0; i < patience_.most_repetitions; ++i) {
      if (!is_long_) pause_if_stalled();
      const bool has_least = i >= patience_.least_repetitions;
      const std::vector<double> good = undisturbed(laps_);
      const bool agreed = good.size() >= enough_if_agreed && round_of(good).within(agreed_spread);
      const bool time_is_up = now() - start > patience_.seconds && !may_get_better(good.size());
      if (has_least && (agreed || time_is_up)) break;
      const Lap next = lap(batch_, instruments_.waited && batch_ > 1 ? least_batch_ : 0);
      keep(next);
      // Shorter ones fit between stalls more often.
      if (!next.undisturbed()) batch_ = std::min(batch_, std::max((batch_ + 1) / 2, least_batch_));
    }
    const std::vector<double> good = undisturbed(laps_);
    return good.size() >= needed() ? round_of(good) : Round{};
  }

  /// Whether more repetitions may be undisturbed where these are too few.
  [[nodiscard]] bool may_get_better(std::size_t good) const {
    return good < needed() && !is_long_ && !was_stalled_;
  }

  [[nodiscard]] std::size_t needed() const {
    const bool quiet = !was_disturbed();
    return quiet ? 1 : std::min<std::size_t>(enough_undisturbed, laps_.size());
  }

  [[nodiscard]] bool was_disturbed() const {
    return std::ranges::any_of(laps_, [](const Lap& lap) { return !lap.undisturbed(); });
  }

  /// Of repetitions that were nearly all disturbed.
  [[nodiscard]] Timing outcome() const {
    const auto best = std::ranges::min_element(laps_, {}, &Lap::without_waits);
    if (best == laps_.end()) return {};
    return {best->without_waits(), best->waited > certain_share, waited_};
  }

  const Instruments& instruments_;
  const Patience patience_;
  const std::function<void()>& operation_;
  const std::function<void()>& settle_;
  std::vector<Lap> laps_;
  int batch_ = 1;
  int least_batch_ = 1;
  int pauses_ = 0;
  bool was_stalled_ = false;  ///< in the last batch
  bool waited_ = false;       ///< in any batch, for long
  bool is_long_ = false;      ///< the operation
};

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
  less.most_pauses = part(most_pauses);
  return share < 1 ? less : *this;
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Instruments system_instruments() {
  const auto waits = std::make_shared<RunQueueWaits>();
  Instruments instruments;
  instruments.pause = [](double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  };
  if (waits->known()) {
    instruments.waited = [waits] { return waits->longest_since_last(); };
    return instruments;
  }
  // A thread that lost its processor during one batch may be waited for in the next. Between them
  // are three calls.
  std::array<Index, 3> earlier{};
  earlier.fill(involuntary_switches());
  instruments.waited = [earlier]() mutable {
    const Index now = involuntary_switches();
    const bool lost = now > earlier.front();
    earlier = {earlier[1], earlier[2], now};
    return lost ? std::numeric_limits<double>::infinity() : 0.0;
  };
  return instruments;
}

Timing typical_seconds(const Instruments& instruments, const Patience& patience,
                       const std::function<void()>& operation,
                       const std::function<void()>& settle) {
  return Measurement(instruments, patience, operation, settle).run();
}

Timing seconds_of_one(const Instruments& instruments, const std::function<void()>& operation) {
  const std::function<void()> nothing = [] {};
  return Measurement(instruments, {}, operation, nothing).run_once();
}

}  // namespace switchyard
