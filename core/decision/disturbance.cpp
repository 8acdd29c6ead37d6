// Adding up what measured calls lost, by number of threads.
#include "disturbance.hpp"

#include <algorithm>
#include <cmath>
#include <switchyard/containers/copy_shares.hpp>

namespace switchyard {
namespace {

SpentTime together(const SpentByThreads& spent) noexcept {
  SpentTime sum;
  for (const SpentTime& each : spent) sum.add(each);
  return sum;
}

}  // namespace

SpentByThreads spent_on_host(const Situation& situation) noexcept {
  SpentByThreads spent{};
  if (!situation.measured) return spent;
  for (const SpaceOutlook& outlook : situation.spaces) {
    if (!outlook.on_host_processors) continue;
    for (const MultiplyCapability& capability : outlook.multiplies) {
      spent[static_cast<std::size_t>(capability.threads)].add(
          situation.measured->spent({outlook.space, capability.format}, capability.variant));
    }
  }
  return spent;
}

Disturbance::Disturbance(const Situation& situation) noexcept : spent_(spent_on_host(situation)) {
  // All wait alike, so that what this matrix waited says enough of that.
  const SpentTime own = together(spent_);
  const SpentTime waited = own.seconds > 0 ? own : together(situation.spent_elsewhere);
  waiting_ = 1 / (1 - waited.off_share());
  for (std::size_t i = 0; i < spent_.size(); ++i) {
    if (spent_[i].seconds <= 0) spent_[i] = situation.spent_elsewhere[i];
  }
}

double Disturbance::delay(const SpaceOutlook& outlook, Threads threads) const noexcept {
  if (!outlook.on_host_processors) return 1;
  if (threads == Threads::One) return waiting_;
  const double of_all = with(Threads::All).unhelped_factor();
  if (threads == Threads::All) return waiting_ * of_all;
  const bool is_known = with(Threads::Half).seconds > 0;
  return waiting_ * (is_known ? with(Threads::Half).unhelped_factor() : (1 + of_all) / 2);
}

double Disturbance::delay_of_conversions(const SpaceOutlook& outlook) const noexcept {
  if (!outlook.on_host_processors) return 1;
  return waiting_ * std::sqrt(with(Threads::All).unhelped_factor());
}

double Disturbance::delay_of_copies(const SpaceOutlook& host, double bytes) const noexcept {
  if (!host.on_host_processors) return 1;
  const double threads = std::max(bytes / double{bytes_per_copying_thread}, 1.0);
  return waiting_ * std::sqrt(std::min(with(Threads::All).unhelped_factor(), threads));
}

}  // namespace switchyard
