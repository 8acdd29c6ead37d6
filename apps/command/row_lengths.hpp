// How long the rows of a matrix are.
#pragma once

#include <switchyard/containers/formats.hpp>
#include <vector>

namespace switchyard::command {

/// Rows with `from` to `to` stored nonzeros, both included.
struct LengthBin {
  Index from = 0;
  Index to = 0;
  Index rows = 0;
};

/// Bins for 0, 1, 2 to 3, 4 to 7 and so on, as far as the longest row; empty for no rows.
/// REQUIRES: in host memory.
template <Element T>
[[nodiscard]] std::vector<LengthBin> length_histogram(const Storage<T>& matrix);

}  // namespace switchyard::command
