// Products made and timed, and what is to be said of them.
#pragma once

#include <chrono>
#include <switchyard/core/gmatrix.hpp>
#include <vector>

namespace switchyard::command {

/// What a number of products in a row took. Not empty.
struct Run {
  std::vector<double> seconds;  ///< of each call, conversions and transfers before it included
  std::vector<Step> history;    ///< the moves and products, in the order in which they were made

  [[nodiscard]] double first() const { return seconds.front(); }
  [[nodiscard]] double median() const;
  [[nodiscard]] double total() const;
  /// The states that products were made in, in that order, each change once.
  [[nodiscard]] std::vector<State> states_visited() const;
};

/// The seconds that `work` takes.
template <class Work>
[[nodiscard]] double seconds_of(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The plan with what was measured: each move by itself, and for the products all the time that was
/// not spent moving the matrix, which holds the vectors' travel as the prediction does. The
/// products stay unmeasured where they were not all made in the plan's state.
[[nodiscard]] Plan with_run(Plan plan, const Run& run);

/// Has copies in exactly these states. REQUIRES: not empty. Throws what `bring_to` throws.
template <Element T>
void stand_in(const GMatrix<T>& matrix, const std::vector<State>& states);

/// One product of the caller's own memory. REQUIRES: x and y as long as `x_size` and `y_size` say.
template <Element T>
void multiply_once(const GMatrix<T>& matrix, const Request& product, std::span<const T> x,
                   std::span<T> y);

/// The call-count hint for products of that kind.
template <Element T>
void expect_calls(const GMatrix<T>& matrix, const Request& product, Index calls);

/// Throws `UsageError` where x and y of so many columns do not fit into any memory.
void check_columns(const Request& product, Index rows, Index cols);

/// `count` numbers in [-1, 1), always the same ones. Not constant, so that no product is right by
/// taking the wrong element.
template <Element T>
[[nodiscard]] std::vector<T> test_vector(Index count);

}  // namespace switchyard::command
