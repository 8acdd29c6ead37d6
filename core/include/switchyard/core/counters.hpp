// Counters of calls, decisions, conversions and transfers.
#pragma once

#include <string>
#include <switchyard/containers/numbers.hpp>

namespace switchyard {

/// The counters of one matrix since it was made, or of all matrices of a runtime. They never
/// decrease.
struct Counters {
  Index calls = 0;                 ///< multiplications that are done
  Index switches = 0;              ///< calls in another state than the call before
  Index decisions_planned = 0;     ///< calls for which a plan was made
  Index decisions_remembered = 0;  ///< calls that used a remembered decision
  Index conversions = 0;           ///< of the matrix, within a space
  Index converted_bytes = 0;       ///< bytes of the copies that conversions made
  Index transfers = 0;             ///< of the matrix, between spaces
  Index transferred_bytes = 0;     ///< bytes of the copies that transfers made
  /// Bytes of x and y that calls and `map_rows` transferred to their space, and of y transferred
  /// back to the caller's own memory. Transfers by the program's own access to a `Vector` do not
  /// count.
  Index vector_bytes = 0;
  double switching_seconds = 0;       ///< time of conversions and transfers
  Index maps = 0;                     ///< changes of all elements by a function
  Index row_folds = 0;                ///< folds of each row with a vector (`map_rows`)
  Index folds = 0;                    ///< folds of all elements into one number
  Index device_failures = 0;          ///< steps and calls that failed on a device
  Index completed_after_failure = 0;  ///< calls that the host completed after one

  /// Adds each counter.
  Counters& operator+=(const Counters& other) noexcept;
  /// Whether all counters are equal.
  bool operator==(const Counters&) const = default;
};

/// The counters as one line of text. It begins with the calls and changes of state; other counters
/// are left out where they are 0.
[[nodiscard]] std::string counters_text(const Counters& counters);

}  // namespace switchyard
