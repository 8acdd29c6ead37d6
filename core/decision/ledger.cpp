// Keeping the last few times of every kernel used.
#include <algorithm>
#include <cmath>
#include <span>
#include <switchyard/containers/robust_statistics.hpp>
#include <switchyard/core/ledger.hpp>

namespace switchyard {
namespace {

// No measurement is believed to be better than this.
constexpr double least_error = 0.02;
// Of a single time.
constexpr double error_of_one = 1;
// So much time without a stall is taken for granted, which a first one is weighed against.
constexpr double granted_seconds = 3e-3;
// What one kernel has waited in so much time says as much as what others have.
constexpr double trusted_seconds = 10e-3;
// What is older than about so much time of a kernel counts half.
constexpr double recent_seconds = 0.1;
constexpr double most_forgiving_seconds = 3;

/// Of the first `count` values; the array is a copy.
template <std::size_t n>
double median_of(std::array<double, n> values, std::size_t count) {
  return median_reordering(std::span(values).first(count));
}

}  // namespace

double SpentTime::off_share() const noexcept {
  return std::max(seconds - computed, 0.0) / (seconds + granted_seconds);
}

double SpentTime::unhelped_factor() const noexcept {
  return quiet > 0 ? std::max(computed / quiet, 1.0) : 1;
}

void SpentTime::add(const SpentTime& other) noexcept {
  seconds += other.seconds;
  computed += other.computed;
  quiet += other.quiet;
}

CallTime Ledger::Account::typical() const noexcept {
  const std::size_t count = std::min(static_cast<std::size_t>(samples), kept);
  if (count == 0) return believed.value_or(CallTime{});
  std::array<double, kept> quiet{};
  std::ranges::transform(recent, quiet.begin(), &CallTime::quiet);
  const double middle = median_of(quiet, count);
  // Helpers are there or not: a median would say one of both.
  double lost = 0;
  for (const CallTime& time : std::span(recent).first(count)) lost += time.computed - time.quiet;
  return {.computed = middle + lost / static_cast<double>(count), .quiet = middle};
}

SpentTime Ledger::Account::spent() const noexcept {
  // Without a time of one call nobody knows what the others lost.
  if (samples == 0 && !believed) return {};
  const CallTime one = typical();
  return {spent_seconds, spent_calls * one.computed, spent_calls * one.quiet};
}

std::size_t Ledger::find(State state, std::string_view variant) const noexcept {
  const auto is_it = [&](const Account& account) {
    return account.state == state && account.variant == variant;
  };
  if (current_ < accounts_.size()) {
    const Account& last = accounts_[current_];
    // Names of kernels lie in one table: mostly the letters need not be compared.
    const bool is_same_name =
        last.variant.data() == variant.data() && last.variant.size() == variant.size();
    if (is_same_name ? last.state == state : is_it(last)) return current_;
  }
  return static_cast<std::size_t>(std::ranges::find_if(accounts_, is_it) - accounts_.begin());
}

void Ledger::count(State state, std::string_view variant) {
  const std::size_t place = find(state, variant);
  if (place == accounts_.size()) accounts_.push_back({.state = state, .variant = variant});
  if (place != current_) accounts_[place].arrived = true;
  current_ = place;
  ++accounts_[place].calls;
}

void Ledger::time(State state, std::string_view variant, const CallTime& time) noexcept {
  const std::size_t place = find(state, variant);
  if (place == accounts_.size()) return;
  Account& account = accounts_[place];
  if (account.arrived) {
    account.arrived = false;
    // What it computed for so long says nothing of other programs either.
    account.spent_calls = std::max(account.spent_calls - 1, 0.0);
    account.spent_seconds = std::max(account.spent_seconds - time.computed, 0.0);
    return;
  }
  account.recent[static_cast<std::size_t>(account.samples++) % kept] = time;
}

void Ledger::time_at_once(State state, std::string_view variant, const CallTime& time) noexcept {
  const std::size_t place = find(state, variant);
  if (place == accounts_.size()) return;
  Account& account = accounts_[place];
  account.arrived = false;
  account.believed = time;
}

double Ledger::expected_off_share(const Account& account) const noexcept {
  SpentTime others;
  for (const Account& each : accounts_) {
    if (&each != &account) others.add(each.spent());
  }
  const SpentTime own = account.spent();
  const double off = std::max(own.seconds - own.computed, 0.0);
  const double borrowed = std::min(others.seconds, trusted_seconds);
  return (off + others.off_share() * borrowed) / (own.seconds + borrowed + granted_seconds);
}

std::optional<MeasuredCost> Ledger::cost(State state, std::string_view variant) const {
  const std::size_t place = find(state, variant);
  if (place == accounts_.size()) return std::nullopt;
  const Account& account = accounts_[place];
  const std::size_t count = std::min(static_cast<std::size_t>(account.samples), kept);
  if (account.samples < enough && !account.believed) return std::nullopt;
  const bool is_believed = account.samples < enough;
  const CallTime one = is_believed ? *account.believed : account.typical();
  std::array<double, kept> off{};
  std::ranges::transform(account.recent, off.begin(),
                         [&](const CallTime& time) { return std::abs(time.quiet - one.quiet); });
  const double spread = one.quiet > 0 ? median_of(off, count) / one.quiet : 0;
  return MeasuredCost{
      .seconds = one.computed / (1 - expected_off_share(account)),
      .relative_error = is_believed ? error_of_one : std::max(least_error, 2 * spread),
      .quiet_seconds = one.quiet};
}

void Ledger::spend(State state, std::string_view variant, Index calls, double seconds) noexcept {
  const std::size_t place = find(state, variant);
  for (Account& account : accounts_) {
    const bool is_it = &account - accounts_.data() == static_cast<std::ptrdiff_t>(place);
    const double over = is_it ? recent_seconds : account.forgiving_seconds;
    const double kept_share = std::exp(-seconds / over);
    account.spent_calls *= kept_share;
    account.spent_seconds *= kept_share;
    if (!is_it) continue;
    account.spent_calls += static_cast<double>(calls);
    account.spent_seconds += seconds;
  }
}

double Ledger::forgiving_seconds(State state, std::string_view variant) const noexcept {
  const std::size_t place = find(state, variant);
  return place < accounts_.size() ? accounts_[place].forgiving_seconds : first_forgiving;
}

void Ledger::leave(State state, std::string_view variant) noexcept {
  const std::size_t place = find(state, variant);
  if (place == accounts_.size()) return;
  double& seconds = accounts_[place].forgiving_seconds;
  seconds = std::min(2 * seconds, most_forgiving_seconds);
}

SpentTime Ledger::spent(State state, std::string_view variant) const noexcept {
  const std::size_t place = find(state, variant);
  return place < accounts_.size() ? accounts_[place].spent() : SpentTime{};
}

std::int64_t Ledger::calls(State state, std::string_view variant) const noexcept {
  const std::size_t place = find(state, variant);
  return place < accounts_.size() ? accounts_[place].calls : 0;
}

std::int64_t Ledger::calls(State state) const noexcept {
  std::int64_t calls = 0;
  for (const Account& account : accounts_) calls += account.state == state ? account.calls : 0;
  return calls;
}

std::int64_t Ledger::samples(State state, std::string_view variant) const noexcept {
  const std::size_t place = find(state, variant);
  return place < accounts_.size() ? accounts_[place].samples : 0;
}

}  // namespace switchyard
