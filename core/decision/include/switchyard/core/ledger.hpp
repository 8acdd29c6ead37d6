// The measured times of one matrix.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <switchyard/containers/numbers.hpp>
#include <switchyard/containers/state.hpp>
#include <vector>

namespace switchyard {

/// A measured time of one call, and its relative error.
struct MeasuredCost {
  double seconds = 0;         ///< of one call, with what other programs are expected to cost
  double relative_error = 0;  ///< relative to `seconds`
  double quiet_seconds = 0;   ///< of one call on an idle machine
};

/// The time of one call, and what it would have been.
struct CallTime {
  double computed = 0;  ///< without waiting for a processor that another program has
  double quiet = 0;     ///< and with all threads that should have helped
  bool queued = false;  ///< on a device that was busy until the call began: without its launch
};

/// What recent calls took together, and what they would have taken.
struct SpentTime {
  double seconds = 0;   ///< whatever delayed them
  double computed = 0;  ///< as in `CallTime`
  double quiet = 0;     ///< as in `CallTime`
  /// The share of time that is expected to go to other programs while a thread waits for its
  /// processor. A single wait at the beginning says little.
  [[nodiscard]] double off_share() const noexcept;
  /// How many times as long calls compute for want of helping threads, 1 at least.
  [[nodiscard]] double unhelped_factor() const noexcept;
  /// Both together.
  void add(const SpentTime& other) noexcept;
};

/// What recent calls took on the host's processors, by the `Threads` of their kernels.
using SpentByThreads = std::array<SpentTime, 3>;

/// The measured times of one matrix, by state and kernel variant.
///
/// The cost of a call is what it computes, as the median or mean of its last few times says, over
/// the share of time in which it does: on a shared machine a thread may wait for a processor for
/// milliseconds, rarely enough that no median sees it, and often enough that a program does. What
/// other programs cost is forgotten while other kernels compute, at first within a tenth of a
/// second, later each time that it came back: so what was left because of it is tried again.
///
/// The first time after each arrival is ignored, but for what it waited: caches are cold then, and
/// the memory of y may be new. Allocates only when a kernel is first used. Threads: not
/// synchronised.
class Ledger {
 public:
  /// The minimum number of samples before measurements replace the model.
  static constexpr std::int64_t enough = 3;

  /// Forgets everything.
  void clear() noexcept { accounts_.clear(); }

  /// Counts a call in `state` with `variant`.
  void count(State state, std::string_view variant);
  /// Adds the time of a counted call, after `spend` has had it.
  void time(State state, std::string_view variant, const CallTime& time) noexcept;
  /// That is its cost until there are `enough` further times, give or take a factor of two: for the
  /// first time of a kernel, which was so long that to repeat it would cost more than it tells.
  void time_at_once(State state, std::string_view variant, const CallTime& time) noexcept;

  /// Adds counted calls that took so long together, whatever delayed them.
  void spend(State state, std::string_view variant, Index calls, double seconds) noexcept;
  /// So much spent elsewhere makes its stalls forgotten.
  [[nodiscard]] double forgiving_seconds(State state, std::string_view variant) const noexcept;
  /// A kernel is left because of its stalls: it is forgiven more slowly the next time.
  void leave(State state, std::string_view variant) noexcept;
  /// What recent calls with that kernel took.
  [[nodiscard]] SpentTime spent(State state, std::string_view variant) const noexcept;

  /// The measured time of one call, if there are `enough` samples.
  [[nodiscard]] std::optional<MeasuredCost> cost(State state, std::string_view variant) const;
  /// The number of calls in `state` with that variant.
  [[nodiscard]] std::int64_t calls(State state, std::string_view variant) const noexcept;
  /// The number of calls in `state`, with any variant.
  [[nodiscard]] std::int64_t calls(State state) const noexcept;
  /// The number of measured times, those before the last arrival included.
  [[nodiscard]] std::int64_t samples(State state, std::string_view variant) const noexcept;

 private:
  static constexpr std::size_t kept = 7;
  static constexpr double first_forgiving = 0.1;
  struct Account {
    State state;
    std::string_view variant;
    std::int64_t calls = 0;
    std::int64_t samples = 0;
    bool arrived = true;  // no time was measured since the last arrival
    std::array<CallTime, kept> recent{};
    std::optional<CallTime> believed = {};  // at once; no sample
    double spent_calls = 0;                 // recent calls, older ones with less weight
    double spent_seconds = 0;
    double forgiving_seconds = first_forgiving;

    [[nodiscard]] CallTime typical() const noexcept;
    [[nodiscard]] SpentTime spent() const noexcept;
  };
  /// The share of time that a kernel is expected to wait: its own where it was used for long, else
  /// that of the others. Some milliseconds of one may be all waiting, or none.
  [[nodiscard]] double expected_off_share(const Account& account) const noexcept;
  [[nodiscard]] std::size_t find(State state, std::string_view variant) const noexcept;

  std::vector<Account> accounts_;
  std::size_t current_ = 0;  // the account of the last call
};

}  // namespace switchyard
