// Walking over tables whole, or by samples where each step takes long.
#pragma once

#include <cstddef>

namespace switchyard::testing {

/// Which steps of a walk are taken: all, and under sanitizers, where each takes several times as
/// long, one in three. Walks over tables whose length is no multiple of three still come to each
/// row.
class Sample {
 public:
#ifdef SWITCHYARD_SANITIZED
  static constexpr std::size_t one_in = 3;
#else
  static constexpr std::size_t one_in = 1;
#endif

  /// Whether to take this step.
  [[nodiscard]] bool next() noexcept { return step_++ % one_in == 0; }

 private:
  std::size_t step_ = 0;
};

}  // namespace switchyard::testing
