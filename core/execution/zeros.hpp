// What functions make of absent elements.
#pragma once

#include <array>
#include <switchyard/backends/skeleton_operations.hpp>
#include <switchyard/backends/symbol.hpp>

namespace switchyard {

/// Whether the function of absent elements, which are zero, is zero wherever they are: computed
/// where it does not depend on the place, else as far as the recorded function tells.
template <Element T>
[[nodiscard]] bool makes_zero(const UserFunction<T>& function, const RecordedFunction& recorded) {
  if (function.by_place) return !recorded.problem && keeps_zeros(recorded);
  constexpr std::array<T, most_operands> zeros{};
  return function.at(function.object, 0, 0, zeros.data()) == T{0};
}

}  // namespace switchyard
