// Offsets of either width as arguments of one kernel.
#pragma once

#include <switchyard/containers/offsets.hpp>

namespace switchyard::opencl {

// A kernel that reads or writes two arrays of offsets takes one of them by two arguments, one for
// each width, of which one is null: offsets that were given may be wider than those that are made.

/// The offsets if they have 32 bits, or an empty array, which is null on the device.
[[nodiscard]] inline const Array<std::int32_t>& offsets32(const Offsets& offsets) {
  static const Array<std::int32_t> none;
  const auto* const narrow = std::get_if<Array<std::int32_t>>(&offsets);
  return narrow ? *narrow : none;
}
/// The offsets if they have 64 bits, or an empty array, which is null on the device.
[[nodiscard]] inline const Array<std::int64_t>& offsets64(const Offsets& offsets) {
  static const Array<std::int64_t> none;
  const auto* const wide = std::get_if<Array<std::int64_t>>(&offsets);
  return wide ? *wide : none;
}

}  // namespace switchyard::opencl
