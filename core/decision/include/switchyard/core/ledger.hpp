// What products with one matrix have really cost.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <switchyard/containers/state.hpp>
#include <vector>

namespace switchyard {

/// A measured cost of one product, and how far off it may be.
struct MeasuredCost {
  double seconds = 0;         ///< of one product
  double relative_error = 0;  ///< as a share of the seconds
};

/// The measured times of one matrix, by state and kernel variant, robustly: what counts is the
/// median of the last few, and the first after each arrival, which meets cold caches, is not among
/// them. Not synchronised; allocates only when a kernel is first used.
class Ledger {
 public:
  /// Fewer times than these are hearsay.
  static constexpr std::int64_t enough = 3;

  /// Forgets everything.
  void clear() noexcept { accounts_.clear(); }

  /// A product was made in `state` by `variant`.
  void count(State state, std::string_view variant);
  /// The last one counted was not made after all.
  void take_back() noexcept;
  /// One that was counted took so many seconds.
  void time(State state, std::string_view variant, double seconds) noexcept;

  /// What a product costs there, once enough have been measured.
  [[nodiscard]] std::optional<MeasuredCost> cost(State state, std::string_view variant) const;
  /// Products made in `state`, whatever the variant.
  [[nodiscard]] std::int64_t calls(State state) const noexcept;
  /// Times that are known of products there; those before the last arrival included.
  [[nodiscard]] std::int64_t samples(State state, std::string_view variant) const noexcept;

 private:
  static constexpr std::size_t kept = 7;
  struct Account {
    State state;
    std::string_view variant;
    std::int64_t calls = 0;
    std::int64_t samples = 0;
    bool arrived = true;  // no time has been seen since the products came here
    std::array<double, kept> recent{};
  };
  [[nodiscard]] std::size_t find(State state, std::string_view variant) const noexcept;

  std::vector<Account> accounts_;
  std::size_t current_ = 0;  // the account of the last product
};

}  // namespace switchyard
