// Profiles and matrices that make plans predictable, for the tests of core/.
#pragma once

#include <random>
#include <span>
#include <switchyard/core/runtime.hpp>
#include <vector>

#include "core/models.hpp"
#include "formats.hpp"

namespace switchyard::testing {

/// Options under which nothing outside the test matters.
inline RuntimeOptions host_only() {
  RuntimeOptions options;
  options.devices = "none";
  return options;
}

/// A random matrix with empty rows and one full row.
template <Element T>
Dense<T> random_dense(Index rows, Index cols, double density, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  std::uniform_real_distribution<double> chance(0, 1);
  auto dense = Dense<T>::sized(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    const double row_density = i % 7 == 3 ? 0 : i == rows / 2 ? 1 : density;
    for (Index j = 0; j < cols; ++j) {
      dense.values[i * cols + j] =
          chance(engine) < row_density ? static_cast<T>(value(engine)) : T{0};
    }
  }
  return dense;
}

/// The first place where numbers differ, NaN being as good as NaN, or their size. Both are as long.
/// By pointers, as a macro of GoogleTest for each element takes most of a test's time.
template <Element T>
std::size_t first_difference(std::span<const T> found, std::span<const T> wanted) {
  const T* const begin = wanted.data();
  const T* const end = begin + wanted.size();
  const T* other = found.data();
  for (const T* at = begin; at != end; ++at, ++other) {
    const bool both_nan = *at != *at && *other != *other;
    if (*at != *other && !both_nan) return static_cast<std::size_t>(at - begin);
  }
  return wanted.size();
}

template <Element T>
std::vector<T> random_vector(Index size, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<T> values(static_cast<std::size_t>(size));
  for (T& v : values) v = static_cast<T>(value(engine));
  return values;
}

/// The host, and the first device where it is good for T.
template <Element T>
std::vector<Space> spaces_for(const Runtime& runtime) {
  std::vector<Space> found{Space::host()};
  const Executor* const device = runtime.executor(Space::device(0));
  if (device && device->supports(precision_of<T>)) found.push_back(Space::device(0));
  return found;
}

/// A vector that is valid in that space only.
template <Element T>
Vector<T> vector_in(const Runtime& runtime, Space space, std::span<const T> values) {
  Vector<T> vector{values};
  if (space.is_host()) return vector;
  static_cast<void>(vector.target_in(runtime.executor(space)->memory(), true));
  vector.combined_in(space);
  return vector;
}

}  // namespace switchyard::testing
