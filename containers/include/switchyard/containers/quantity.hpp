// The quantities that the cost of an operation depends on, and their products.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

namespace switchyard {

/// The quantities in the terms of a cost model. None falls as nonzeros, rows or columns are added
/// to a matrix whose nonzeros are spread evenly, nor as the rows of any matrix grow alike.
enum class Quantity : std::uint8_t {
  Bytes,     ///< bytes read and written, the vectors included
  Rows,      ///< rows
  Cols,      ///< columns
  Elements,  ///< rows x columns
  Nonzeros,  ///< stored nonzeros
  Gathered,  ///< 64-byte lines of x touched: nonzeros x (new lines per nonzero, and a sixth)
  Longest,   ///< nonzeros in the longest row
  Spread,    ///< rows x sqrt(variance of the row length + mean row^2 / columns)
  Uneven,    ///< 1, and by how many mean rows the longest is longer than chance explains
  Stored,    ///< slots that the format keeps for nonzeros, padding included
  Changes,   ///< rows that are not as long as the row before: branches that a processor mispredicts
};
/// The number of values of `Quantity`.
inline constexpr std::size_t quantity_count = 11;

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
