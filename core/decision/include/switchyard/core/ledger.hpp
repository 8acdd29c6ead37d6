// The measured times of one matrix.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <switchyard/containers/state.hpp>
#include <vector>

namespace switchyard {

/// A measured time of one call, and its relative error.
struct MeasuredCost {
  double seconds = 0;         ///< of one call
  double relative_error = 0;  ///< relative to `seconds`
};

/// The measured times of one matrix, by state and kernel variant. The median of the last few
/// counts, so an outlier has no effect. The first time after each arrival is ignored, because the
/// caches are cold. Allocates only when a kernel is first used. Threads: not synchronised.
class Ledger {
 public:
  /// The minimum number of samples before measurements replace the model.
  static constexpr std::int64_t enough = 3;

  /// Forgets everything.
  void clear() noexcept { accounts_.clear(); }

  /// Counts a call in `state` with `variant`.
  void count(State state, std::string_view variant);
  /// Adds the time of a counted call.
  void time(State state, std::string_view variant, double seconds) noexcept;

  /// The measured time of one call, if there are `enough` samples.
  [[nodiscard]] std::optional<MeasuredCost> cost(State state, std::string_view variant) const;
  /// The number of calls in `state`, with any variant.
  [[nodiscard]] std::int64_t calls(State state) const noexcept;
  /// The number of measured times, those before the last arrival included.
  [[nodiscard]] std::int64_t samples(State state, std::string_view variant) const noexcept;

 private:
  static constexpr std::size_t kept = 7;
  struct Account {
    State state;
    std::string_view variant;
    std::int64_t calls = 0;
    std::int64_t samples = 0;
    bool arrived = true;  // no time was measured since the last arrival
    std::array<double, kept> recent{};
  };
  [[nodiscard]] std::size_t find(State state, std::string_view variant) const noexcept;

  std::vector<Account> accounts_;
  std::size_t current_ = 0;  // the account of the last call
};

}  // namespace switchyard
