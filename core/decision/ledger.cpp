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

/// Of the first `count` values; the array is a copy.
template <std::size_t n>
double median_of(std::array<double, n> values, std::size_t count) {
  return median_reordering(std::span(values).first(count));
}

}  // namespace

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

void Ledger::time(State state, std::string_view variant, double seconds) noexcept {
  const std::size_t place = find(state, variant);
  if (place == accounts_.size()) return;
  Account& account = accounts_[place];
  if (account.arrived) {
    account.arrived = false;
    return;
  }
  account.recent[static_cast<std::size_t>(account.samples++) % kept] = seconds;
}

std::optional<MeasuredCost> Ledger::cost(State state, std::string_view variant) const {
  const std::size_t place = find(state, variant);
  if (place == accounts_.size()) return std::nullopt;
  const Account& account = accounts_[place];
  const std::size_t count = std::min(static_cast<std::size_t>(account.samples), kept);
  if (account.samples < enough) return std::nullopt;
  const double middle = median_of(account.recent, count);
  std::array<double, kept> off{};
  std::ranges::transform(account.recent, off.begin(),
                         [&](double seconds) { return std::abs(seconds - middle); });
  const double spread = middle > 0 ? median_of(off, count) / middle : 0;
  return MeasuredCost{middle, std::max(least_error, 2 * spread)};
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
