// The number types of the library: sizes, column indices, elements, and checked conversions.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <switchyard/containers/error.hpp>
#include <utility>

namespace switchyard {

/// Sizes and row offsets: signed, 64 bits.
using Index = std::int64_t;
/// Column indices as stored in sparse formats.
using Column = std::int32_t;

/// The element types of matrices and vectors.
template <class T>
concept Element = std::same_as<T, float> || std::same_as<T, double>;

/// An element type as a value.
enum class Precision : std::uint8_t { Float, Double };

/// The `Precision` of an element type.
template <Element T>
inline constexpr Precision precision_of =
    std::same_as<T, float> ? Precision::Float : Precision::Double;

/// "float" or "double".
[[nodiscard]] constexpr std::string_view name(Precision precision) noexcept {
  return precision == Precision::Float ? "float" : "double";
}

/// Bytes of one element.
[[nodiscard]] constexpr Index size_of(Precision precision) noexcept {
  return precision == Precision::Float ? 4 : 8;
}

/// Converts `value` to `To`. Throws `Error(OutOfRange)` if it does not fit.
template <std::integral To, std::integral From>
[[nodiscard]] constexpr To narrow(From value) {
  if (!std::in_range<To>(value)) {
    throw Error(ErrorCode::OutOfRange, "the size " + std::to_string(value) + " is out of range");
  }
  return static_cast<To>(value);
}

/// `a * b` for non-negative sizes. Throws `Error(OutOfRange)` on overflow or a negative factor.
[[nodiscard]] inline Index checked_product(Index a, Index b) {
  Index product = 0;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product)) {
    throw Error(ErrorCode::OutOfRange,
                "a size of " + std::to_string(a) + " x " + std::to_string(b) + " is out of range");
  }
  return product;
}

}  // namespace switchyard
