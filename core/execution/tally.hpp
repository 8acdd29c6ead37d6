// Counting calls as they finish, without a lock.
#pragma once

#include <atomic>
#include <limits>
#include <switchyard/containers/numbers.hpp>

namespace switchyard {

/// How many calls have finished since somebody last looked. Calls that are made in the same way
/// differ in nothing else that is recorded, so that a number is enough, and a finished call needs
/// no lock. All members may be called from any thread; no finished call is lost or taken twice.
class Tally {
 public:
  /// One call has finished. Returns false where the tally is closed: the caller records it then.
  [[nodiscard]] bool add() noexcept { return finished_.fetch_add(1) >= 0; }
  /// Takes what has been added since. REQUIRES: open, and that no other thread takes or closes.
  [[nodiscard]] Index take() noexcept {
    return finished_.load(std::memory_order_relaxed) == 0 ? 0 : finished_.exchange(0);
  }
  /// The same for the last time: from now on `add` returns false. REQUIRES: as `take`.
  [[nodiscard]] Index close() noexcept { return finished_.exchange(closed); }

 private:
  // Far enough below zero that no number of late calls leads back.
  static constexpr Index closed = std::numeric_limits<Index>::min() / 2;

  std::atomic<Index> finished_{0};
};

}  // namespace switchyard
