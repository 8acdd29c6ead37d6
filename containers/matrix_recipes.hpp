// The kinds of matrices that can be generated, each as a rule for the columns of a row.
#pragma once

#include <functional>
#include <switchyard/containers/generate.hpp>
#include <vector>

#include "random.hpp"

namespace switchyard {

/// What a kind of matrix comes down to. `append` may be called from any thread.
struct Recipe {
  Index rows;
  Index cols;
  double expected_nnz;
  /// Appends the columns of a row, ascending.
  std::function<void(Index row, Random& random, std::vector<Column>& columns)> append;
  double diagonal = 0;  ///< of a stencil, whose other elements are -1; 0: random values
};

/// Throws `Error(InvalidArgument)` for options that make no sense, `Error(OutOfRange)` for sizes
/// that do not fit.
[[nodiscard]] Recipe recipe_for(const GenerateOptions& options);

}  // namespace switchyard
