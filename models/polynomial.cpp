// The value of a polynomial, and how it reads.
#include <fmt/format.h>

#include <switchyard/models/polynomial.hpp>

namespace switchyard {

double Term::monomial(const Features& features) const noexcept {
  double product = 1;
  for (std::size_t q = 0; q < quantity_count; ++q) {
    for (int exponent = exponents[q]; exponent > 0; --exponent) product *= features.values[q];
  }
  return product;
}

double Polynomial::operator()(const Features& features) const noexcept {
  double sum = 0;
  for (const Term& term : terms) sum += term.coefficient * term.monomial(features);
  return sum;
}

std::string to_string(const Polynomial& polynomial) {
  std::string text;
  for (const Term& term : polynomial.terms) {
    if (!text.empty()) text += " + ";
    text += fmt::format("{:.3g}", term.coefficient);
    for (std::size_t q = 0; q < quantity_count; ++q) {
      if (term.exponents[q] == 0) continue;
      text += fmt::format(" {}", name(static_cast<Quantity>(q)));
      if (term.exponents[q] > 1) text += fmt::format("^{}", term.exponents[q]);
    }
  }
  return text.empty() ? "0" : text;
}

}  // namespace switchyard
