// What other programs on the host's processors cost the calls of one matrix.
#pragma once

#include <switchyard/core/planner.hpp>

namespace switchyard {

/// What was lost in the calls that were measured, so that the same is expected of the others: a
/// state that was measured on a busy machine is compared with what another would take there, not
/// with what it takes on an idle one.
class Disturbance {
 public:
  /// Of the situation's measured calls, or where there are none with so many threads of those
  /// elsewhere: what one thread took does not tell whether others would have helped.
  explicit Disturbance(const Situation& situation) noexcept;

  /// How many times as long a kernel is expected to take as on an idle machine, 1 at least. All
  /// threads of the host wait for processors alike, whatever they compute; only several miss
  /// helpers. A device with processors of its own loses nothing.
  [[nodiscard]] double delay(const SpaceOutlook& outlook, Threads threads) const noexcept;
  /// The same of a conversion, where the host's processors make it. It takes longer than a product:
  /// helpers that come too late for those still do a part. Between none and all of what products
  /// lose, the middle errs by the least factor.
  [[nodiscard]] double delay_of_conversions(const SpaceOutlook& outlook) const noexcept;
  /// The same of copying so many bytes to or from a device, for which few threads are wanted where
  /// they are few. `host` is where the threads run.
  [[nodiscard]] double delay_of_copies(const SpaceOutlook& host, double bytes) const noexcept;

 private:
  [[nodiscard]] const SpentTime& with(Threads threads) const noexcept {
    return spent_[static_cast<std::size_t>(threads)];
  }
  SpentByThreads spent_;
  double waiting_ = 1;
};

}  // namespace switchyard
