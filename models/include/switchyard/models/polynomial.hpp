// A sum of terms, each a coefficient times a product of quantities.
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <switchyard/models/features.hpp>
#include <vector>

namespace switchyard {

/// A coefficient times a product of quantities with exponents. All exponents 0: a constant.
struct Term {
  std::array<std::uint8_t, quantity_count> exponents{};  ///< by `Quantity`
  double coefficient = 0;                                ///< seconds per unit of that product
  /// The product of `quantities`, which may repeat, times `coefficient`.
  [[nodiscard]] static constexpr Term of(std::span<const Quantity> quantities,
                                         double coefficient = 0) noexcept {
    Term term{{}, coefficient};
    for (const Quantity quantity : quantities) ++term.exponents[static_cast<std::size_t>(quantity)];
    return term;
  }
  /// As above.
  [[nodiscard]] static constexpr Term of(std::initializer_list<Quantity> quantities,
                                         double coefficient = 0) noexcept {
    return of(std::span<const Quantity>(quantities.begin(), quantities.size()), coefficient);
  }
  /// The product of quantities, without the coefficient.
  [[nodiscard]] double monomial(const Features& features) const noexcept;
};

/// A polynomial in `Features`. Its coefficients are never negative. So no prediction is negative,
/// and more work never predicts less time.
struct Polynomial {
  std::vector<Term> terms;  ///< their sum is the polynomial
  /// The predicted seconds. 0 without terms.
  [[nodiscard]] double operator()(const Features& features) const noexcept;
};

/// "2.1e-06 + 3.4e-11 bytes + 1.2e-10 rows longest + 4e-21 bytes^2"; "0" without terms.
[[nodiscard]] std::string to_string(const Polynomial& polynomial);

}  // namespace switchyard
