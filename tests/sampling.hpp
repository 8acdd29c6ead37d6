// Walking over tables whole, or by samples where each step takes long.
#pragma once

#include <cstdlib>

namespace switchyard::testing {

/// Whether what takes many minutes is tried whole (`SWITCHYARD_TEST_WHOLE` is set), not by samples.
[[nodiscard]] inline bool is_whole() { return std::getenv("SWITCHYARD_TEST_WHOLE") != nullptr; }

/// Whether walks take only samples, and large matrices are smaller: under sanitizers.
#ifdef SWITCHYARD_SANITIZED
inline constexpr bool is_sampled = true;
#else
inline constexpr bool is_sampled = false;
#endif

/// Which steps of a walk are taken: all, and under sanitizers, where each takes several times as
/// long, some.
class Sample {
 public:
  /// Of so many steps about one is taken.
  static constexpr int one_in = is_sampled ? 4 : 1;

  /// Whether to take this step; the first one always.
  [[nodiscard]] bool next() noexcept {
    if (!is_sampled) return true;
    const bool is_due = phase_ >= 1;
    phase_ += share - (is_due ? 1 : 0);
    return is_due;
  }

 private:
  /// Irrational (the golden ratio to the power of -3): of a table of whatever length that is walked
  /// several times other rows are taken each time.
  static constexpr double share = 0.2360679774997897;
  double phase_ = 1;
};

}  // namespace switchyard::testing
