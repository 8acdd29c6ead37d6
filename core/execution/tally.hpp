// Counting calls as they finish, without a lock.
#pragma once

#include <atomic>
#include <limits>
#include <switchyard/containers/numbers.hpp>
#include <utility>

namespace switchyard {

/// How many calls have finished since somebody last looked. Calls that are made in the same way
/// differ in nothing else that is recorded, so that a number is enough, and a finished call needs
/// no lock. No finished call is lost or taken twice. Threads: `add` may be called from any thread,
/// the others by one at a time.
class Tally {
 public:
  /// One call has finished. Returns false where the tally is closed: the caller records it then.
  [[nodiscard]] bool add() noexcept { return finished_.fetch_add(1) >= 0; }
  /// Takes what has been added since. REQUIRES: open.
  [[nodiscard]] Index take() noexcept { return taken_up_to(finished_.load()); }
  /// The same for the last time: from now on `add` returns false. REQUIRES: open.
  [[nodiscard]] Index close() noexcept { return taken_up_to(finished_.exchange(closed)); }

 private:
  // Far enough below zero that no number of late calls leads back.
  static constexpr Index closed = std::numeric_limits<Index>::min() / 2;

  Index taken_up_to(Index finished) noexcept { return finished - std::exchange(taken_, finished); }

  std::atomic<Index> finished_{0};  // only grows while open, so that taking need not write it
  Index taken_ = 0;
};

}  // namespace switchyard
