// Calls on awkward matrices in every format and space.
#pragma once

#include <gtest/gtest.h>

#include <switchyard/switchyard.hpp>

#include "backends/awkward_matrices.hpp"
#include "core/fixtures.hpp"
#include "sampling.hpp"

namespace switchyard::testing {

inline constexpr Index most_elements = 4'000'000;
inline constexpr double most_bytes = 1e8;

template <Element T>
std::vector<T> dense_values(const GMatrix<T>& matrix) {
  const Storage<T> copy = matrix.copy_out(Format::Dense);
  const auto values = std::get<Dense<T>>(copy).values.span();
  return {values.begin(), values.end()};
}

/// Equal bits, but for the sign of zero, which formats do not keep, and of NaN.
template <Element T>
void expect_same(const std::vector<T>& found, const std::vector<T>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  const std::size_t i = first_difference<T>(found, wanted);
  if (i == wanted.size()) return;
  EXPECT_EQ(found[i], wanted[i]) << "element " << i;
}

template <class T>
class InEveryState : public ::testing::Test {
 protected:
  /// Leaves the matrix in that state only. False if it cannot be there.
  bool brought(const GMatrix<T>& matrix, State state) {
    if (!obstacle_to(state.format, matrix.structure()).empty()) return false;
    if (bytes_in(state.format, matrix.structure(), Index{sizeof(T)}) > most_bytes) return false;
    matrix.bring_to(state);
    for (const State other : matrix.states()) {
      if (other != state) matrix.evict(other);
    }
    return matrix.states() == std::vector{state};
  }
  /// Calls `check(matrix, values)` with each matrix, in each state.
  template <class Check>
  void in_every_state(const Check& check) {
    const auto spaces = spaces_for<T>(runtime_);
    Sample sample;
    for (auto& [name, csr] : awkward_matrices<T>()) {
      if (csr.rows * csr.cols > most_elements) continue;
      const Storage<T> original(std::move(csr));
      for (const Space space : spaces) {
        for (const FormatFacts& facts : format_table) {
          if (!sample.next()) continue;
          GMatrix<T> matrix = runtime_.matrix(transferred(original, plain_host_memory()));
          const auto values = dense_values(matrix);
          SCOPED_TRACE(name + " in " + switchyard::name(State{space, facts.format}));
          if (!brought(matrix, {space, facts.format})) continue;
          EXPECT_NO_THROW(check(matrix, values));
        }
      }
    }
  }
  Runtime runtime_{RuntimeOptions{}};
};

}  // namespace switchyard::testing
