// How a product's work is cut among the host's threads.
#pragma once

#include <algorithm>
#include <switchyard/backends/operations.hpp>

namespace switchyard::openmp {

/// The threads of a variant, 1 at least.
[[nodiscard]] inline int team_size(const ExecutorFacts& host, Threads threads) {
  if (threads == Threads::One) return 1;
  return threads == Threads::All ? host.compute_units : std::max(host.compute_units / 2, 1);
}

/// The shares of a product of that variant that reads a matrix of so many bytes.
template <Element T>
[[nodiscard]] Shares shares_of_product(const MultiplyArguments<T>& arguments, Index matrix_bytes) {
  const ExecutorFacts& host = arguments.executor.facts();
  return shares_of(matrix_bytes, team_size(host, arguments.threads), host.compute_units);
}

/// The shares of other work that reads or writes so many bytes.
[[nodiscard]] inline Shares shares_of_work(const Executor& host, Index bytes) {
  return shares_of(bytes, host.facts().compute_units);
}

/// Fewer rows, multiplied `together` at a time, leave threads without work unless they are cut.
[[nodiscard]] inline Index fewest_rows_to_share(const Shares& shares, Index together) {
  constexpr int turns_of_a_thread = 4;
  return std::min(shares.parts, turns_of_a_thread * shares.threads) * together;
}

/// Whether what is so large is written past the caches, because they cannot hold it until it is
/// read.
[[nodiscard]] inline bool exceeds_caches(const Executor& host, std::size_t bytes) {
  const std::size_t caches = host.facts().cache_bytes;
  return caches > 0 && bytes > caches;
}

/// What becomes of y's element; with beta == 0 it is not read.
template <Element T>
[[nodiscard]] T updated(T alpha, T sum, T beta, const T& y) {
  return beta == T{0} ? alpha * sum : alpha * sum + beta * y;
}

}  // namespace switchyard::openmp
