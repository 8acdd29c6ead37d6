// The quantities that the cost of an operation depends on, and their products.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

namespace switchyard {

/// The quantities in the terms of a cost model. All grow with the work, except `Uneven`: it says
/// how long the last of many threads works alone.
enum class Quantity : std::uint8_t {
  Bytes,     ///< bytes read and written, the vectors included
  Rows,      ///< rows
  Cols,      ///< columns
  Elements,  ///< rows x columns
  Nonzeros,  ///< stored nonzeros
  Gathered,  ///< distinct 64-byte lines of x touched, row by row: nonzeros x lines per nonzero
  Longest,   ///< nonzeros in the longest row
  Spread,    ///< rows x standard deviation of the row length
  Uneven,    ///< longest row / mean row; a mean below 1 counts as 1
  Stored,    ///< slots that the format keeps for nonzeros, padding included
};
/// The number of values of `Quantity`.
inline constexpr std::size_t quantity_count = 10;

/// "bytes", "rows", ...
[[nodiscard]] std::string_view name(Quantity quantity) noexcept;

/// A product of at most two quantities, without a coefficient. Without quantities: a constant.
class CostTerm {
 public:
  constexpr CostTerm() = default;
  /// REQUIRES: at most two quantities.
  constexpr CostTerm(std::initializer_list<Quantity> quantities) {
    for (const Quantity quantity : quantities) factors_[count_++] = quantity;
  }
  /// The quantities. One that occurs twice is listed twice.
  [[nodiscard]] constexpr std::span<const Quantity> factors() const noexcept {
    return {factors_.data(), count_};
  }

 private:
  std::array<Quantity, 2> factors_{};
  std::size_t count_ = 0;
};

/// Whether one of the terms contains `quantity`.
[[nodiscard]] constexpr bool depends_on(std::span<const CostTerm> terms,
                                        Quantity quantity) noexcept {
  for (const CostTerm& term : terms) {
    for (const Quantity factor : term.factors()) {
      if (factor == quantity) return true;
    }
  }
  return false;
}

}  // namespace switchyard
