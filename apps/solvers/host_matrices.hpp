// What the methods need to know of a matrix's elements, from its rows in host memory.
#pragma once

#include <algorithm>
#include <filesystem>
#include <switchyard/switchyard.hpp>
#include <utility>
#include <vector>

namespace switchyard::solvers {

/// The matrix in a coordinate file. Throws what `read_matrix` throws, and
/// `Error(Unsupported)` for an array file.
template <Element T>
[[nodiscard]] Csr<T> read_csr(const std::filesystem::path& file) {
  Storage<T> read = read_matrix<T>(file);
  if (auto* const csr = std::get_if<Csr<T>>(&read)) return std::move(*csr);
  throw Error(ErrorCode::Unsupported, "the file holds a dense array", file.string(),
              "a coordinate file is needed");
}

/// Jacobi's preconditioner, 1 / a_ii; 1 where there is no diagonal element, or a zero.
template <Element T>
[[nodiscard]] Vector<T> inverse_diagonal(const Csr<T>& A) {
  Vector<T> inverse(A.rows, T{1});
  const std::span<T> values = inverse.write();
  for (Index i = 0; i < A.rows; ++i) {
    for (Index k = A.offset(i); k < A.offset(i + 1); ++k) {
      if (A.columns[k] == i && A.values[k] != 0) {
        values[static_cast<std::size_t>(i)] = T{1} / A.values[k];
      }
    }
  }
  return inverse;
}

/// The transpose of A, element k of it being `value(i, k)`, with i its row.
template <Element T, class Value>
[[nodiscard]] Csr<T> transposed(const Csr<T>& A, const Value& value) {
  std::vector<Triplet<T>> triplets;
  triplets.reserve(static_cast<std::size_t>(A.nnz));
  for (Index i = 0; i < A.rows; ++i) {
    for (Index k = A.offset(i); k < A.offset(i + 1); ++k) {
      triplets.push_back({A.columns[k], i, value(i, k)});
    }
  }
  return csr_from_triplets(A.cols, A.rows, std::span<const Triplet<T>>(triplets));
}

/// The matrix for `pagerank`, of a graph whose stored elements are links from their row to their
/// column, all of the same weight: column i holds 1 / (links of i) for each of them.
template <Element T>
[[nodiscard]] Csr<T> link_matrix(const Csr<T>& graph) {
  return transposed(graph, [&](Index i, Index) {
    return T{1} / static_cast<T>(graph.offset(i + 1) - graph.offset(i));
  });
}

/// Whether A equals its transpose, exactly.
template <Element T>
[[nodiscard]] bool is_symmetric(const Csr<T>& A) {
  if (A.rows != A.cols) return false;
  const Csr<T> other = transposed(A, [&](Index, Index k) { return A.values[k]; });
  for (Index i = 0; i <= A.rows; ++i) {
    if (A.offset(i) != other.offset(i)) return false;
  }
  return std::ranges::equal(A.columns.span(), other.columns.span()) &&
         std::ranges::equal(A.values.span(), other.values.span());
}

}  // namespace switchyard::solvers
