// The terms that a fit may choose from.
#include "candidate_terms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace switchyard {
namespace {

TEST(CandidateTerms, EachKeyHasAConstantAndNoDuplicates) {
  std::vector<ModelKey> keys{transfer_key(Space::host(), Space::device(0)),
                             build_key(Space::device(0), Precision::Float, "program")};
  for (const FormatFacts& from : format_table) {
    keys.push_back(multiply_key({Space::host(), from.format}, Precision::Float, "any"));
    for (const FormatFacts& to : format_table) {
      keys.push_back(convert_key(from.format, to.format, Space::host(), Precision::Float));
    }
  }
  for (const ModelKey& key : keys) {
    const auto terms = candidate_terms(key);
    ASSERT_FALSE(terms.empty());
    EXPECT_EQ(terms[0].exponents, Term{}.exponents);
    for (std::size_t a = 0; a < terms.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) EXPECT_NE(terms[a].exponents, terms[b].exponents);
    }
  }
}

// A conversion may depend on what either format depends on.
TEST(CandidateTerms, AConversionHasThoseOfBothFormats) {
  const auto terms =
      candidate_terms(convert_key(Format::Csr, Format::Dense, Space::host(), Precision::Float));
  for (const FormatFacts& facts : {facts_of(Format::Dense), facts_of(Format::Csr)}) {
    for (const CostTerm& wanted : facts.convert_terms) {
      EXPECT_TRUE(std::ranges::any_of(terms, [&](const Term& term) {
        return term.exponents == Term::of(wanted.factors()).exponents;
      }));
    }
  }
}

}  // namespace
}  // namespace switchyard
