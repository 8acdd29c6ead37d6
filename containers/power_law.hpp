// Rows and columns whose popularity falls off as a power law.
#pragma once

#include <vector>

#include "random.hpp"

namespace switchyard {

/// A matrix in which the row of rank r has a length in proportion to r^(-3/4), and a column of rank
/// r is chosen in that proportion: degrees then follow a power law of exponent 1 + 4/3, within the
/// 2.1 to 2.5 of web and social graphs. Roots of squares are all that takes, which every machine
/// rounds alike. Rows and columns are shuffled, so that rank and place are unrelated. May be used
/// from any thread.
class PowerLaw {
 public:
  /// REQUIRES: rows and cols > 0, 0 < density <= 1.
  PowerLaw(Index rows, Index cols, double density, std::uint64_t seed);

  /// Appends the columns of a row, ascending.
  void append(Index row, Random& random, std::vector<Column>& columns) const;

 private:
  [[nodiscard]] Index draw_length(Index row, Random& random) const;
  void draw_distinct(Index length, Random& random, std::vector<Column>& columns) const;

  Index cols_;
  double scale_;  // the length of the row of rank 1, were rows not limited by the columns
  Permutation row_ranks_;
  Permutation column_places_;
};

}  // namespace switchyard
