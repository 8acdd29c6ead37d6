// Joining tables of operations.
#pragma once

#include <algorithm>
#include <array>

namespace switchyard {

/// The tables one after another.
template <class Operation, std::size_t... sizes>
constexpr auto joined(const std::array<Operation, sizes>&... tables) {
  std::array<Operation, (sizes + ...)> all{};
  auto* end = all.begin();
  ((end = std::copy(tables.begin(), tables.end(), end)), ...);
  return all;
}

}  // namespace switchyard
