// Which calls are timed, and what their times say of the plan that is followed.
#include <algorithm>
#include <bit>
#include <limits>
#include <switchyard/core/dispatcher.hpp>

namespace switchyard {
namespace {

// A measured time this far off the planned one is worth another look at the plan.
constexpr double surprise = 0.1;
// So many times of each kernel are wanted at once, later those of one product in so many.
constexpr Index always_timed = 8;
constexpr Index timed_on_host = 16;
constexpr Index timed_on_devices = 256;
// A few waits are tens of microseconds.
constexpr double worth_waiting_seconds = 4e-3;
// Two readings of the clock take 50 ns.
constexpr double least_timed_on_host = 2e-6;
// The cost is looked at again once so much was spent: planning takes microseconds.
constexpr double looked_at_every = 1e-3;
// Markers on a device's queue take microseconds, and where it is empty count the launch as well.
constexpr double least_timed_on_devices = 50e-6;
// Where times are not wanted for that, the first few products and one in 256 are looked at all the
// same: a model may be wrong by any factor. What takes so many times as long as planned, and a slow
// launch, is no longer short; nor is what does so twice in a row beside an ordinary launch.
constexpr Index checks_at_first = 2;
constexpr Index least_calls_checked = 16;
constexpr double suspect_factor = 3;
constexpr double slow_launch_seconds = 15e-6;
constexpr double suspect_factor_twice = 2;
constexpr double launch_seconds = 10e-6;
// Of a product that waited in the queue the launch is no part: its time says more. Two markers
// lie a microsecond and a half apart with nothing between them.
constexpr double suspect_factor_queued = 1.25;
constexpr double marker_seconds = 1.5e-6;
// A look that is waited for leaves an empty queue. So many calls fill it, where products take
// longer than enqueueing them.
constexpr Index calls_between_looks = 3;
// A first product on the host that takes `suspect_factor` times as long as planned, and longer than
// cold caches and new memory of y explain, is believed: three more would cost more than they tell.
// A virtual machine may have to get each new page from its host: 0.5 GB/s where that was seen.
constexpr double cold_seconds = 0.2e-3;
constexpr double new_bytes_per_second = 0.5e9;

/// Whether the cost is looked at again after that many samples: once it is known at all, and then
/// whenever eight more are in, after which none of those it was made of before is left.
bool completes_a_median(std::int64_t samples) {
  return samples == Ledger::enough || (samples + 1) % 8 == 0;
}

/// Whether the samples are about twice as many as when this was last so: 3, 7, 15, 31, ...
bool has_doubled(std::int64_t samples) {
  return std::has_single_bit(static_cast<std::uint64_t>(samples + 1));
}

}  // namespace

bool Dispatcher::wants_every_time() const noexcept {
  return !reproducible_ && at_ && at_->space.is_host() && expected_seconds_ >= least_timed_on_host;
}

bool Dispatcher::note_spent(State state, std::string_view variant, Index calls,
                            double seconds) noexcept {
  if (reproducible_) return false;
  ledger_.spend(state, variant, calls, seconds);
  if (state != at_ || variant != variant_) return false;
  here_seconds_ += seconds;
  unseen_seconds_ += seconds;
  if (unseen_seconds_ < looked_at_every) return false;
  unseen_seconds_ = 0;
  if (here_seconds_ >= again_seconds_) return true;
  const auto cost = ledger_.cost(state, variant);
  if (!cost || cost->seconds <= expected_seconds_ * (1 + surprise)) return false;
  expected_seconds_ = cost->seconds;
  return cost->seconds > std::min(least_elsewhere_, other_kernel_);
}

bool Dispatcher::wants_time() const noexcept {
  if (reproducible_ || !at_) return false;
  const bool on_host = at_->space.is_host();
  if (!on_host && only_checks()) return is_check_due();
  const bool is_due = calls_ % (on_host ? timed_on_host : timed_on_devices) == 0;
  return is_due || ledger_.samples(*at_, variant_) < always_timed;
}

bool Dispatcher::only_checks() const noexcept {
  return !keeps_times_ && (expected_seconds_ < least_timed_on_devices || !has_much_left());
}

bool Dispatcher::is_check_due() const noexcept {
  // The first product there may have to build its kernel.
  if (horizon() < least_calls_checked || ledger_.calls(*at_, variant_) == 0) return false;
  if (calls_ < next_look_) return false;
  return checks_ < checks_at_first || slow_checks_ > 0 || calls_ % timed_on_devices == 0;
}

bool Dispatcher::passes_check(State state, std::string_view variant,
                              const CallTime& time) noexcept {
  const bool is_here = state == at_ && variant == variant_ && !state.space.is_host();
  if (reproducible_ || !is_here || !only_checks()) return false;
  ++checks_;
  next_look_ = calls_ + calls_between_looks;
  const auto exceeds = [&](double factor, double more) {
    return time.computed > factor * expected_seconds_ + more;
  };
  const bool is_slow = time.queued ? exceeds(suspect_factor_queued, marker_seconds)
                                   : exceeds(suspect_factor_twice, launch_seconds);
  slow_checks_ = is_slow ? slow_checks_ + 1 : 0;
  keeps_times_ = slow_checks_ > 1 || exceeds(suspect_factor, slow_launch_seconds);
  return !keeps_times_;
}

bool Dispatcher::is_long_surprise(State state, std::string_view variant,
                                  const CallTime& time) const noexcept {
  const double explained = cold_seconds + y_bytes_ / new_bytes_per_second;
  return time.computed > suspect_factor * expected_seconds_ + explained && state == at_ &&
         variant == variant_ && state.space.is_host() && ledger_.calls(state, variant) == 1;
}

bool Dispatcher::ends_trial(State state, const CallTime& time) noexcept {
  if (!trial_ || state != trial_->state) return false;
  // The first product there may have to build its kernel, which was planned or is not known.
  if (!state.space.is_host() && ledger_.samples(state, variant_) == 0) return false;
  trials_seconds_ += std::max(time.computed - expected_seconds_, 0.0);
  if (trials_seconds_ <= trial_->most_seconds) return false;
  trial_.reset();
  return true;
}

bool Dispatcher::worth_waiting() const noexcept {
  if (reproducible_ || !at_ || at_->space.is_host()) return false;
  if (ledger_.samples(*at_, variant_) >= Ledger::enough) return false;
  // Later looks may come late.
  if (only_checks() && checks_ >= checks_at_first && slow_checks_ == 0) return false;
  if (is_trial_) return true;
  return has_much_left() && least_elsewhere_ < std::numeric_limits<double>::infinity();
}

bool Dispatcher::has_much_left() const noexcept {
  return static_cast<double>(horizon()) * expected_seconds_ > worth_waiting_seconds;
}

bool Dispatcher::tells_of_kernel(State state, double seconds) noexcept {
  return state.space.is_host() || seconds >= least_timed_on_devices;
}

CallTime Dispatcher::without_launch(State state, const CallTime& time) noexcept {
  if (tells_of_kernel(state, time.computed)) return time;
  const double all = time.queued ? marker_seconds : launch_seconds;
  const double launch = std::min(all, time.computed / 2);
  return {time.computed - launch, time.quiet - launch, time.queued};
}

bool Dispatcher::note_time(State state, std::string_view variant, const CallTime& time) {
  if (reproducible_) return false;
  const bool is_believed = is_long_surprise(state, variant, time);
  if (is_believed) {
    ledger_.time_at_once(state, variant, time);
  } else {
    ledger_.time(state, variant, time);
  }
  if (state != at_) return false;
  if (ends_trial(state, time)) return true;
  const auto samples = ledger_.samples(state, variant);
  if (!is_believed && !completes_a_median(samples)) return false;
  // What is known now may justify a trial, and may do so again as the total grows.
  const bool first = is_believed || samples == Ledger::enough;
  if (curious_ && (first || (has_doubled(samples) && !knows_horizon()))) return true;
  const auto cost = ledger_.cost(state, variant);
  if (!cost || cost->seconds <= expected_seconds_ * (1 + surprise)) return false;
  // Other kernels are as near after a few more calls, which say more than a single time.
  if (is_believed) return cost->seconds > least_elsewhere_;
  expected_seconds_ = cost->seconds;
  return cost->seconds > std::min(least_elsewhere_, other_kernel_);
}

}  // namespace switchyard
