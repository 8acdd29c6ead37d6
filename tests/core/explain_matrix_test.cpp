// What a matrix says of its own plan.
#include <gtest/gtest.h>

#include <switchyard/core/runtime.hpp>

#include "core/fixtures.hpp"
#include "states.hpp"

namespace switchyard {
namespace {

using testing::host_only;
using testing::linear_model;

using testing::csr_host;
using testing::dense_host;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Dense products of 10 s, CSR ones of 1 s, 100 s between the two: nothing of which is true.
Profile dear_conversions(const Fingerprint& fingerprint) {
  constexpr Precision precision = Precision::Float;
  return Profile(
      fingerprint,
      {linear_model(multiply_key(dense_host, precision, "rows"), 10, 0),
       linear_model(multiply_key(csr_host, precision, "balanced"), 1, 0),
       linear_model(convert_key(Format::Dense, Format::Csr, Space::host(), precision), 100, 0)});
}

TEST(Explain, AMatrixTellsByWhichRuleItWent) {
  RuntimeOptions options = host_only();
  options.reproducible = true;
  Runtime runtime(options);
  runtime.use_profile(dear_conversions(runtime.fingerprint()));
  const auto matrix = runtime.matrix(testing::random_dense<float>(20, 20, 0.5, 1));
  const Vector<float> x(20, 1.0F);
  Vector<float> y(20);
  for (int call = 0; call < 3; ++call) matrix.multiply(x, y);
  // The tenth product is the first for which the total with the conversion is twice hindsight.
  std::string text = matrix.explain();
  EXPECT_TRUE(contains(text, "number of calls unknown (3 so far)")) << text;
  EXPECT_TRUE(contains(text, "at most 2x the best fixed choice")) << text;
  EXPECT_EQ(matrix.plan().holds_for, 6);
  EXPECT_TRUE(contains(text, "moves on after 6 calls more")) << text;
  EXPECT_FALSE(contains(text, "break-even")) << text;

  matrix.expect_calls(50);
  text = matrix.explain();
  EXPECT_TRUE(contains(text, "lowest predicted total for the 50 calls expected")) << text;
  EXPECT_TRUE(contains(text, "below 12 calls, dense@host would be chosen")) << text;

  matrix.pin(dense_host);
  text = matrix.explain();
  EXPECT_TRUE(contains(text, "the program pinned the matrix to dense@host")) << text;
  EXPECT_TRUE(contains(text, "multiply 50 times in dense@host [rows]")) << text;
}

}  // namespace
}  // namespace switchyard
