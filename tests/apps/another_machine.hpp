// The profile of a machine that is not here.
#pragma once

#include <switchyard/backends/operations.hpp>
#include <switchyard/models/builtin.hpp>
#include <vector>

#include "model_keys.hpp"

namespace switchyard::test {

/// Of two devices, the first of them twenty times as fast as the host.
inline Profile elsewhere() {
  const Fingerprint fingerprint{.cpu = "a processor from elsewhere",
                                .threads = 64,
                                .library_version = "0.0.1",
                                .devices = {{"fast", "1.0"}, {"slow", "1.0"}}};
  std::vector<ModelKey> keys;
  add_keys<float>(keys, Space::host(), Backend::OpenMP);
  add_keys<double>(keys, Space::host(), Backend::OpenMP);
  for (const int k : {0, 1}) {
    add_keys<float>(keys, Space::device(k), Backend::OpenCL);
    add_keys<double>(keys, Space::device(k), Backend::OpenCL);
    keys.push_back(transfer_key(Space::host(), Space::device(k)));
    keys.push_back(transfer_key(Space::device(k), Space::host()));
  }
  SpaceFigures fast{.bytes_per_second = 1e12, .gathers_per_second = 1e11};
  fast.link_bytes_per_second = 4e10;
  Profile profile = builtin_profile(fingerprint, keys, {SpaceFigures{}, fast, SpaceFigures{}});
  profile.created = "2024-01-01T00:00:00Z";
  profile.calibrated = true;
  return profile;
}

}  // namespace switchyard::test
