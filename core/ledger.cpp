// Keeping the last few times of every kernel used.
#include <algorithm>
#include <cmath>
#include <switchyard/core/ledger.hpp>

namespace switchyard {
namespace {

// Fewer than so many times are hearsay.
constexpr std::size_t enough = 3;
// No measurement is believed to be better than this.
constexpr double least_error = 0.02;

template <std::size_t n>
double median(std::array<double, n> values, std::size_t count) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(values.begin(), middle, values.begin() + static_cast<std::ptrdiff_t>(count));
  return *middle;
}

}  // namespace

const Ledger::Account* Ledger::find(State state, std::string_view variant) const noexcept {
  for (const Account& account : accounts_) {
    if (account.state == state && account.variant == variant) return &account;
  }
  return nullptr;
}

void Ledger::record(State state, std::string_view variant, std::optional<double> seconds) {
  const bool goes_on = current_ < accounts_.size() && accounts_[current_].state == state &&
                       accounts_[current_].variant == variant;
  if (!goes_on) {
    const Account* const known = find(state, variant);
    current_ = known ? static_cast<std::size_t>(known - accounts_.data()) : accounts_.size();
    if (!known) accounts_.push_back({.state = state, .variant = variant});
    arrived_ = true;
  }
  Account& account = accounts_[current_];
  ++account.calls;
  if (!seconds) return;
  if (arrived_) {
    arrived_ = false;
    return;
  }
  account.recent[static_cast<std::size_t>(account.samples++) % kept] = *seconds;
}

std::optional<MeasuredCost> Ledger::cost(State state, std::string_view variant) const {
  const Account* const account = find(state, variant);
  const std::size_t count =
      account ? std::min(static_cast<std::size_t>(account->samples), kept) : 0;
  if (count < enough) return std::nullopt;
  const double middle = median(account->recent, count);
  std::array<double, kept> off{};
  std::ranges::transform(account->recent, off.begin(),
                         [&](double seconds) { return std::abs(seconds - middle); });
  const double spread = middle > 0 ? median(off, count) / middle : 0;
  return MeasuredCost{middle, std::max(least_error, 2 * spread)};
}

std::int64_t Ledger::calls(State state) const noexcept {
  std::int64_t calls = 0;
  for (const Account& account : accounts_) calls += account.state == state ? account.calls : 0;
  return calls;
}

std::int64_t Ledger::samples(State state, std::string_view variant) const noexcept {
  const Account* const account = find(state, variant);
  return account ? account->samples : 0;
}

}  // namespace switchyard
