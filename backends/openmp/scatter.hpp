// Products with the other operand than a format is made for: with the transpose of a matrix that is
// stored by rows, and with a matrix that is stored by columns.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::openmp {

/// Adds each element's term where it belongs in y. See `MultiplyArguments`; for one column and
/// many. The matrix alone decides in which order terms are added, threads do not change the sums.
template <Element T>
void multiply_by_scatter(const MultiplyArguments<T>& arguments);

/// Where several threads can share the work: each needs sums of its own, which all together are
/// small beside the matrix.
[[nodiscard]] bool suits_shared_scatter(const ExecutorFacts& facts, const Structure& structure);

}  // namespace switchyard::openmp
