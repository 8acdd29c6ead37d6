// Converts a failed allocation into the library's exception.
#pragma once

#include <new>
#include <switchyard/containers/error.hpp>
#include <utility>

namespace switchyard {

/// Throws `Error(OutOfMemory)`. Allocates nothing, since no memory may be left.
[[noreturn]] void throw_out_of_memory();

/// Returns what `action` returns. std::bad_alloc becomes `Error(OutOfMemory)`. Every public
/// function does its work in one of these, so that callers need to expect one exception only.
template <class Action>
decltype(auto) with_enough_memory(Action&& action) {
  try {
    return std::forward<Action>(action)();
  } catch (const std::bad_alloc&) {
    throw_out_of_memory();
  }
}

}  // namespace switchyard
