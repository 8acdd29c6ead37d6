// The value and the text of a polynomial.
#include <gtest/gtest.h>

#include <switchyard/models/polynomial.hpp>

namespace switchyard {
namespace {

using enum Quantity;

TEST(Polynomial, SumsCoefficientsTimesProductsOfPowers) {
  Features at;
  at[Quantity::Bytes] = 3;
  at[Quantity::Rows] = 5;
  EXPECT_EQ(Term::of({}, 7).monomial(at), 1);
  EXPECT_EQ(Term::of({Bytes, Bytes, Rows}, 7).monomial(at), 45);
  const Polynomial polynomial{
      {Term::of({}, 1), Term::of({Bytes}, 2), Term::of({Bytes, Bytes, Rows}, 0.5)}};
  EXPECT_DOUBLE_EQ(polynomial(at), 1 + 2 * 3 + 0.5 * 45);
}

TEST(Polynomial, WithoutTermsIsZero) {
  EXPECT_EQ(Polynomial{}(Features{}), 0);
  EXPECT_EQ(to_string(Polynomial{}), "0");
}

TEST(Polynomial, ReadsAsWritten) {
  const Polynomial polynomial{
      {Term::of({}, 2.1e-6), Term::of({Bytes}, 3.4e-11), Term::of({Bytes, Bytes, Rows}, 4e-21)}};
  EXPECT_EQ(to_string(polynomial), "2.1e-06 + 3.4e-11 bytes + 4e-21 bytes^2 rows");
}

}  // namespace
}  // namespace switchyard
