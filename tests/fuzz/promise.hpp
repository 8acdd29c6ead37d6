// What a fuzzing target does where something it was promised does not hold: it ends there and then.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace switchyard::fuzz {

/// libFuzzer keeps the input of a process that aborts.
inline void promise(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

}  // namespace switchyard::fuzz
