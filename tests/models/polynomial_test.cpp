// The value and the text of a polynomial.
#include <gtest/gtest.h>

#include <switchyard/models/polynomial.hpp>

namespace switchyard {
namespace {

Term term(double coefficient, int bytes, int rows) {
  Term made;
  made.coefficient = coefficient;
  made.exponents[static_cast<std::size_t>(Quantity::Bytes)] = static_cast<std::uint8_t>(bytes);
  made.exponents[static_cast<std::size_t>(Quantity::Rows)] = static_cast<std::uint8_t>(rows);
  return made;
}

TEST(Polynomial, SumsCoefficientsTimesProductsOfPowers) {
  Features at;
  at[Quantity::Bytes] = 3;
  at[Quantity::Rows] = 5;
  EXPECT_EQ(term(7, 0, 0).monomial(at), 1);
  EXPECT_EQ(term(7, 2, 1).monomial(at), 45);
  const Polynomial polynomial{{term(1, 0, 0), term(2, 1, 0), term(0.5, 2, 1)}};
  EXPECT_DOUBLE_EQ(polynomial(at), 1 + 2 * 3 + 0.5 * 45);
}

TEST(Polynomial, WithoutTermsIsZero) {
  EXPECT_EQ(Polynomial{}(Features{}), 0);
  EXPECT_EQ(to_string(Polynomial{}), "0");
}

TEST(Polynomial, ReadsAsWritten) {
  const Polynomial polynomial{{term(2.1e-6, 0, 0), term(3.4e-11, 1, 0), term(4e-21, 2, 1)}};
  EXPECT_EQ(to_string(polynomial), "2.1e-06 + 3.4e-11 bytes + 4e-21 bytes^2 rows");
}

}  // namespace
}  // namespace switchyard
