// What `switchyard solve` computes with, made ready before the runtime takes the matrix.
#pragma once

#include <switchyard/containers/vector.hpp>

#include "solve_report.hpp"

namespace switchyard::command {

/// All that a method needs but the matrix.
template <Element T>
struct Problem {
  Vector<T> jacobi;
  Vector<T> b;
  Vector<T> x;
  bool known = false;  ///< x should become ones
};

/// Looks at the matrix: fills in the report's method and structure, and makes the vectors. For
/// PageRank the link matrix takes A's place. Throws `Error(DimensionMismatch)` where A is not
/// square or the right-hand side does not fit, and what `read_matrix_market` throws.
template <Element T>
[[nodiscard]] Problem<T> prepare(SolveReport& report, Storage<T>& A);

}  // namespace switchyard::command
