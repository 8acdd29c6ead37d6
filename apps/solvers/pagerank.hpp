// PageRank: how often a random surfer is on each page.
#pragma once

#include <utility>

#include "solve.hpp"

namespace switchyard::solvers {

/// Ranks the pages of a link matrix (see `link_matrix`), the sum of ranks being 1. With probability
/// `damping` the surfer follows a link; else, or where there is none, any page comes next. The
/// residual is how much the ranks changed in the last iteration, relative to them. Where
/// options.rtol is 0, all iterations are made, and the matrix is told how many there will be.
/// Source: Page, Brin, Motwani and Winograd, 1998.
template <Element T>
SolveResult pagerank(const Runtime& runtime, const GMatrix<T>& links, Vector<T>& ranks,
                     const SolveOptions& options, T damping = T(0.85)) {
  const T n = static_cast<T>(links.rows());
  Vector<T> next(links.rows());
  SolveResult result;
  if (links.rows() == 0) return finished(result, options);
  if (options.rtol == 0) links.expect_calls(options.max_iterations);
  fill(runtime, T{1} / n, ranks);
  while (result.iterations < options.max_iterations && !result.converged) {
    links.multiply(damping, ranks, T{0}, next);
    // What damping and pages without links have let go is spread over all.
    add_scalar(runtime, (T{1} - sum(runtime, next)) / n, next);
    axpby(runtime, T{1}, next, T{-1}, ranks);  // the change
    result.residual = norm(runtime, ranks) / norm(runtime, next);
    ++result.iterations;
    result.converged = result.residual <= options.rtol;
    std::swap(ranks, next);  // the vectors stay where they are
  }
  return result;
}

}  // namespace switchyard::solvers
