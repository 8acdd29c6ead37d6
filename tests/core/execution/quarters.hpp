// A clock of tests.
#pragma once

#include <chrono>

namespace switchyard::testing {

/// It goes on by a quarter of a second whenever it is read.
inline std::chrono::steady_clock::time_point quarters() {
  static std::chrono::steady_clock::time_point time;
  return time += std::chrono::milliseconds(250);
}

}  // namespace switchyard::testing
