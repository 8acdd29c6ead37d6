// What `switchyard solve` computes with, made ready before the runtime takes the matrix.
#pragma once

#include <span>
#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/vector.hpp>
#include <vector>

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

/// A x, rounded once from the reference. REQUIRES: in host memory.
template <Element T>
[[nodiscard]] std::vector<T> image_of(const Storage<T>& A, std::span<const T> x);

/// The vectors of a method on a square matrix, the way every run begins: no guess of x but what the
/// method has to be given. `b` is for methods that solve equations.
template <Element T>
[[nodiscard]] Problem<T> pose(Method method, const Csr<T>& rows, std::span<const T> b);

/// Looks at the matrix: fills in the report's method and structure, and makes the vectors. For
/// PageRank the link matrix takes A's place. Throws `Error(DimensionMismatch)` where A is not
/// square or the right-hand side does not fit, and what `read_matrix` throws.
template <Element T>
[[nodiscard]] Problem<T> prepare(SolveReport& report, Storage<T>& A);

}  // namespace switchyard::command
