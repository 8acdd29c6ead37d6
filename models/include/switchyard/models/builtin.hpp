// The models that serve where nobody has calibrated: a few quick figures instead of measurements.
#pragma once

#include <switchyard/models/profile.hpp>
#include <vector>

namespace switchyard {

/// What is assumed of one memory space.
struct SpaceFigures {
  double bytes_per_second = 1e10;       ///< streaming
  double gathers_per_second = 2e8;      ///< random lines of x
  double launch_seconds = 1e-6;         ///< of one operation
  double link_bytes_per_second = 1e10;  ///< to and from the host
  double link_seconds = 1e-5;           ///< latency of a transfer
  double build_seconds = 0;             ///< of one kernel program
};

/// Linear models from those figures for every key, `figures[i]` being those of the space of index
/// i; where there are none, or a figure is not a positive number, its default above is taken. A
/// transfer is charged to the link of each device that it touches. Marked as not calibrated, and
/// with a relative error of 1, so that nobody takes the figures for measurements.
[[nodiscard]] Profile builtin_profile(const Fingerprint& fingerprint,
                                      const std::vector<ModelKey>& keys,
                                      const std::vector<SpaceFigures>& figures);

}  // namespace switchyard
