// Sparse matrices as SciPy's save_npz writes them.
#pragma once

#include <switchyard/containers/matrix_market.hpp>

#include "random_access.hpp"

namespace switchyard {

/// Reads the matrix. Public contract: `read_matrix`.
template <Element T>
[[nodiscard]] Storage<T> read_npz(const RandomAccess& file, const ReadOptions& options);

}  // namespace switchyard
