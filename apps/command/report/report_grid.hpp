// The matrices that a report looks at: square ones of many sizes and densities.
#pragma once

#include <switchyard/containers/structure.hpp>
#include <vector>

#include "../output.hpp"

namespace switchyard::command::report {

/// Points evenly spaced on logarithmic axes, ascending. Cell (i, j), of rows[i] and densities[j],
/// is number i x densities.size() + j.
struct Grid {
  std::vector<Index> rows;  ///< and as many columns
  std::vector<double> densities;

  [[nodiscard]] std::size_t cells() const { return rows.size() * densities.size(); }
};

/// From 32 to 131 072 rows and from 0.001 % to 100 %, in powers of two and of ten or parts of them,
/// with at most `cells` cells, but 42 at least.
[[nodiscard]] Grid report_grid(std::size_t cells);

/// A square matrix with its nonzeros spread evenly.
[[nodiscard]] Structure square_matrix(Index rows, double density, Precision precision);

/// Four digits are more than any price here is good for, and a third of the bytes. What is not
/// finite becomes null.
[[nodiscard]] Json brief(double value);
[[nodiscard]] Json brief(const std::vector<double>& values);

}  // namespace switchyard::command::report
