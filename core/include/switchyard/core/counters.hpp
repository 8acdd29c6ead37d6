// How often what was done, and what it cost.
#pragma once

#include <string>
#include <switchyard/containers/numbers.hpp>

namespace switchyard {

/// Of one matrix since it was made, or of all matrices of a runtime. Only grows.
struct Counters {
  Index calls = 0;                 ///< products made, those under way included
  Index switches = 0;              ///< of those, products in another state than the one before
  Index decisions_planned = 0;     ///< plans made for products
  Index decisions_remembered = 0;  ///< products that needed none
  Index conversions = 0;           ///< of the matrix, within a space
  Index converted_bytes = 0;       ///< of the copies that conversions made
  Index transfers = 0;             ///< of the matrix, from space to space
  Index transferred_bytes = 0;     ///< of the copies that transfers made
  /// Of x and y that products brought to where they ran, and of y brought back into the caller's
  /// own memory. What a program itself reads and writes of a `Vector` is not among it.
  Index vector_bytes = 0;
  double switching_seconds = 0;       ///< that conversions and transfers took
  Index device_failures = 0;          ///< steps and products that a device has failed
  Index completed_after_failure = 0;  ///< products that the host completed after one

  /// Adds each.
  Counters& operator+=(const Counters& other) noexcept;
  /// Whether all are the same.
  bool operator==(const Counters&) const = default;
};

/// The counters in words, on one line: what did not happen is left out.
[[nodiscard]] std::string counters_text(const Counters& counters);

}  // namespace switchyard
