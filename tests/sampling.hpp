// Walking over tables whole, or by samples where each step takes long.
#pragma once

#include <cstddef>

namespace switchyard::testing {

/// Whether walks take only samples, and large matrices are smaller: under sanitizers.
#ifdef SWITCHYARD_SANITIZED
inline constexpr bool is_sampled = true;
#else
inline constexpr bool is_sampled = false;
#endif

/// Which steps of a walk are taken: all, and under sanitizers, where each takes several times as
/// long, one in three. Walks over tables whose length is no multiple of three still come to each
/// row.
class Sample {
 public:
  static constexpr std::size_t one_in = is_sampled ? 3 : 1;

  /// Whether to take this step.
  [[nodiscard]] bool next() noexcept { return step_++ % one_in == 0; }

 private:
  std::size_t step_ = 0;
};

}  // namespace switchyard::testing
