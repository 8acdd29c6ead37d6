// The built-in models that are used without calibration: assumed figures instead of measurements.
#pragma once

#include <switchyard/models/profile.hpp>
#include <vector>

namespace switchyard {

/// The assumed figures of one memory space.
struct SpaceFigures {
  double bytes_per_second = 1e10;       ///< streaming
  double gathers_per_second = 2e8;      ///< random lines of x
  double launch_seconds = 1e-6;         ///< of one operation
  double link_bytes_per_second = 1e10;  ///< to and from the host
  double link_seconds = 1e-5;           ///< latency of a transfer
  double build_seconds = 0;             ///< of one kernel program
  /// Up to which matrix and vectors are taken to stay in caches; 0: unknown, as if there were none.
  double cache_bytes = 0;
  double cached_bytes_per_second = 1e10;   ///< streaming there
  double cached_gathers_per_second = 2e8;  ///< random lines of x there
  /// What a row takes for each of its elements where one item computes it; 0: nothing more.
  double row_step_seconds = 0;
};

/// What an item of a GPU takes for each element of a row that it computes alone, where nobody has
/// measured it: no others hide how long it waits for memory (docs/measurements.md,
/// "Beside other work": two H100s, rows of 574 to 1110 elements in sell8 and sell32, 0.19 to 0.41
/// us an element).
inline constexpr double gpu_row_step_seconds = 3e-7;

/// Linear models from those figures, one for each key; of products in two tiers, within caches and
/// beyond, where the size of the caches is known. `figures[i]` are those of the space of index
/// i. Missing figures, and those that are not positive numbers, have the defaults above. A transfer
/// costs the link of each device that it touches. The models are marked as not calibrated and have
/// a relative error of 1, so that they are not taken for measurements.
[[nodiscard]] Profile builtin_profile(const Fingerprint& fingerprint,
                                      const std::vector<ModelKey>& keys,
                                      const std::vector<SpaceFigures>& figures);

}  // namespace switchyard
