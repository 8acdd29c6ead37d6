// Where a program's vectors are, and what it does with them: what a plan expects of x and y.
#pragma once

#include <cstdint>
#include <switchyard/containers/numbers.hpp>

namespace switchyard {

/// What a program does with vectors between one product and the next (see `vector_operations.hpp`).
struct VectorWork {
  Index operations = 0;  ///< elementwise operations and sums
  Index sums = 0;        ///< of those, sums, whose result the host waits for
  Index bytes = 0;       ///< what all of them read and write
  bool operator==(const VectorWork&) const = default;
};

/// Where the vectors of the coming products are, and how often they will have to travel.
struct VectorTraffic {
  std::uint64_t x_valid = 1;  ///< bit i: x is valid in the space of index i; bit 0 is the host
  std::uint64_t y_valid = 1;  ///< the same for y
  double x_fresh = 1;         ///< share of products before which the host writes x anew
  double y_read = 1;          ///< share of products after which the host reads y
  bool y_kept = false;        ///< beta is not zero: the old y is needed where the product runs
  VectorWork between = {};    ///< one product and the next, where x and y then are
  bool operator==(const VectorTraffic&) const = default;
};

}  // namespace switchyard
