// Vectors to multiply with.
#pragma once

#include <switchyard/containers/array.hpp>
#include <switchyard/containers/memory_space.hpp>

namespace switchyard {

/// A vector of numbers that are not constant, as products on constants can be faster.
template <Element T>
[[nodiscard]] Array<T> test_vector(Index size, const std::shared_ptr<MemorySpace>& memory) {
  Array<T> values(size);
  for (Index i = 0; i < size; ++i) values[i] = static_cast<T>(1 + (i * 37 % 101)) / T{64};
  return transferred(values, memory);
}

}  // namespace switchyard
