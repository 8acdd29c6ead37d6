// A failed allocation as one of the library's own exceptions.
#pragma once

#include <new>
#include <switchyard/containers/error.hpp>
#include <utility>

namespace switchyard {

/// Throws `Error(OutOfMemory)`, allocating nothing for it: there may be nothing left.
[[noreturn]] void throw_out_of_memory();

/// What `action` returns; a failed allocation leaves as `Error(OutOfMemory)`. Whatever the public
/// interface does is done in one of these, so that callers have one exception to expect.
template <class Action>
decltype(auto) with_enough_memory(Action&& action) {
  try {
    return std::forward<Action>(action)();
  } catch (const std::bad_alloc&) {
    throw_out_of_memory();
  }
}

}  // namespace switchyard
