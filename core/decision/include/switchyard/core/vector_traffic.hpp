// How a program uses its vectors, which is what a plan expects of x and y.
#pragma once

#include <cstdint>
#include <switchyard/containers/numbers.hpp>

namespace switchyard {

/// The vector operations between one call and the next (see `vector_operations.hpp`).
struct VectorWork {
  Index operations = 0;  ///< elementwise operations and sums
  Index sums = 0;        ///< of those, sums, whose result the host waits for
  Index bytes = 0;       ///< read and written by all of them
  bool operator==(const VectorWork&) const = default;
};

/// Where the vectors of the next calls are, and how often they are transferred.
struct VectorTraffic {
  std::uint64_t x_valid = 1;  ///< bit i: x is valid in the space of index i; bit 0 is the host
  std::uint64_t y_valid = 1;  ///< the same for y
  double x_fresh = 1;         ///< share of calls before which the host writes x
  double y_read = 1;          ///< share of calls after which the host reads y
  bool y_kept = false;        ///< beta is not zero: the call needs the old y
  VectorWork between = {};    ///< vector operations between two calls
  bool operator==(const VectorTraffic&) const = default;
};

}  // namespace switchyard
