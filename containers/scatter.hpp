// Columns chosen independently of each other, each with the same probability.
#pragma once

#include <vector>

#include "random.hpp"

namespace switchyard {

/// Chooses from a stretch of columns, each with probability `density`, in time proportional to the
/// number chosen. May be used from any thread.
///
/// Where few are chosen, it draws the distance to the next one, which is geometrically distributed:
/// at least k with probability q^k, q = 1 - density. The powers stand in two tables of 64-bit
/// fractions (as two digits of the distance, which for this distribution are independent); a
/// logarithm would not give the same bits with every mathematical library.
class Scatter {
 public:
  /// REQUIRES: 0 < density <= 1.
  explicit Scatter(double density);

  /// Appends the columns chosen in [begin, end), ascending.
  void append(Index begin, Index end, Random& random, std::vector<Column>& columns) const;

 private:
  [[nodiscard]] Index distance(Index limit, Random& random) const;

  double density_;
  Index width_ = 1;                   // the lower digit runs from 0 to width - 1
  std::vector<std::uint64_t> lower_;  // q^k for k = 1 .. width
  std::vector<std::uint64_t> upper_;  // q^(width * k) for k = 1 .. upper_size
};

}  // namespace switchyard
