// X and Y by columns, for libraries that are asked for both orders.
#pragma once

#include <span>
#include <vector>

#include "peer.hpp"

namespace switchyard::command::bench {

/// Row-major `values`, of `columns` columns, with rows and columns exchanged.
template <Element T>
[[nodiscard]] std::vector<T> exchanged(std::span<const T> values, std::int64_t columns) {
  const auto width = static_cast<std::size_t>(columns);
  const std::size_t height = values.size() / width;
  std::vector<T> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    result[i % width * height + i / width] = values[i];
  }
  return result;
}

}  // namespace switchyard::command::bench
