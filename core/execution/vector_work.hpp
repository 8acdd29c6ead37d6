// Work on vectors outside of products: choosing the space, and going on where a device fails.
#pragma once

#include <optional>
#include <span>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/core/runtime.hpp>

#include "execution/failures.hpp"

namespace switchyard {

/// Throws `Error(DimensionMismatch)` unless a vector of `size` elements goes with one of
/// `expected`.
void check_size(Index size, Index expected);

/// Whether the contents of a vector are where neither the host nor `space` has them: a failure to
/// bring it from there says nothing about `space`, and the host could not do without it either.
template <Element T>
[[nodiscard]] bool is_elsewhere(const Vector<T>& vector, Space space) {
  return !vector.valid_in(space) && !vector.valid_in(Space::host());
}

/// Where to work on operands that are valid in these spaces (bit i: in the space of index i): where
/// the last product ran, if all of them are there; else on a device that holds them all; else on
/// the host, if that does. Where no space does, where the last product ran, so that vectors follow
/// the matrix; before any, on a device that alone holds one of them.
[[nodiscard]] Space place_for(const Runtime& runtime, std::span<const std::uint64_t> operands);

/// After a failure on a device: the device itself is given up where the failure is its own.
void note_failure(const Runtime& runtime, Executor& device, const Error& error);

/// `work(device)`, a second time where there was no room at first; nothing where that fails too.
template <class Work>
auto tried_on(const Runtime& runtime, Executor& device, const Work& work)
    -> std::optional<decltype(work(device))> {
  for (const bool again : {true, false}) {
    try {
      return with_enough_memory([&] { return work(device); });
    } catch (const Error& error) {
      const Error reason = diagnosed(device, error);
      if (memory_was_short(reason) && again) {
        device.memory()->trim();
        continue;
      }
      note_failure(runtime, device, reason);
      break;
    }
  }
  return std::nullopt;
}

/// `work(executor)` in that space if `usable(device)`, or on the host where it is not or that does
/// not succeed.
template <Element T, class Usable, class Work>
auto compute_in(const Runtime& runtime, Space space, const Usable& usable, const Work& work) {
  if (!space.is_host()) {
    Executor& device = *runtime.executor(space);
    if (device.supports(precision_of<T>) && runtime.set_aside_reason(space).empty() &&
        usable(device)) {
      if (const auto result = tried_on(runtime, device, work)) return *result;
    }
  }
  return with_enough_memory([&] { return work(*runtime.executor(Space::host())); });
}

}  // namespace switchyard
