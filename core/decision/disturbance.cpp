// Adding up what measured calls lost, by number of threads.
#include "disturbance.hpp"

namespace switchyard {

Disturbance::Disturbance(const Situation& situation) {
  if (!situation.measured) return;
  for (const SpaceOutlook& outlook : situation.spaces) {
    if (!outlook.on_host_processors) continue;
    for (const MultiplyCapability& capability : outlook.multiplies) {
      spent_[static_cast<std::size_t>(capability.threads)].add(
          situation.measured->spent({outlook.space, capability.format}, capability.variant));
    }
  }
  SpentTime together;
  for (const SpentTime& spent : spent_) together.add(spent);
  waiting_ = 1 / (1 - together.off_share());
}

double Disturbance::delay(const SpaceOutlook& outlook, Threads threads) const noexcept {
  if (!outlook.on_host_processors) return 1;
  if (threads == Threads::One) return waiting_;
  const double of_all = with(Threads::All).unhelped_factor();
  if (threads == Threads::All) return waiting_ * of_all;
  const bool is_known = with(Threads::Half).seconds > 0;
  return waiting_ * (is_known ? with(Threads::Half).unhelped_factor() : (1 + of_all) / 2);
}

}  // namespace switchyard
