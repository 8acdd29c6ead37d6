// Includes everything once more, as every larger program does.
#include "second_unit.hpp"

#include <array>
#include <switchyard/switchyard.hpp>

bool second_unit_agrees() {
  const switchyard::Runtime runtime;
  const std::array<double, 4> values{1, 2, 3, 4};
  const auto A = runtime.matrix<double>(2, 2, std::span<const double>(values));
  const std::array<double, 2> x{1, 1};
  std::array<double, 2> y{};
  A.multiply(x, y);
  return y[0] == 3 && y[1] == 7;
}
