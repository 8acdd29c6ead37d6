// Tries one call with each of its allocations failing in turn.
#pragma once

#include <functional>
#include <string>

namespace switchyard::testing {

/// A call on fresh state, which the functions share.
struct Trial {
  std::function<void()> call;
  /// Expects that a call that failed has changed nothing.
  std::function<void()> unchanged = [] {};
  /// Expects what a call that was made does.
  std::function<void()> done = [] {};
};

/// Makes the call with the n-th allocation failing, once and for ever, for n = 0, 1, ... until
/// none fails any more; under sanitizers for every third n. Expects that it throws
/// `Error(OutOfMemory)` or does what it should, that after a failure nothing is changed and the
/// same call succeeds, that nothing is leaked, and that there are allocations, where `allocates`.
void sweep(const std::string& name, const std::function<Trial()>& make, bool allocates = true);

}  // namespace switchyard::testing
