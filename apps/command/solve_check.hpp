// How good an answer really is, computed in long double from the matrix as it is stored.
#pragma once

#include <span>
#include <switchyard/containers/formats.hpp>
#include <vector>

namespace switchyard::command {

/// ||b - A x|| / ||b||, or ||b - A x|| where b is zero. REQUIRES: in host memory, as below.
template <Element T>
[[nodiscard]] double true_residual(const Storage<T>& A, std::span<const T> x, std::span<const T> b);

/// ||A x - lambda x|| / (|lambda| ||x||); 0 where A x is.
template <Element T>
[[nodiscard]] double eigen_residual(const Storage<T>& A, std::span<const T> x, double lambda);

/// How much another iteration of PageRank would change the ranks, relative to them.
template <Element T>
[[nodiscard]] double pagerank_residual(const Storage<T>& links, std::span<const T> ranks);

/// The largest |x_i - 1|.
template <Element T>
[[nodiscard]] double distance_from_ones(std::span<const T> x);

/// The elements of a matrix of one column.
template <Element T>
[[nodiscard]] std::vector<T> only_column(const Storage<T>& matrix);

}  // namespace switchyard::command
