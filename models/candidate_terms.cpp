// The terms that a fit may choose from: those of formats stand in the table of formats.
#include "candidate_terms.hpp"

#include <algorithm>
#include <array>

#include "nnls.hpp"

namespace switchyard {

namespace {

using enum Quantity;

// The square, because bandwidth falls gradually where a copy outgrows a cache.
constexpr std::array transfer_terms{CostTerm{}, CostTerm{Bytes}, CostTerm{Bytes, Bytes}};

constexpr std::array build_terms{CostTerm{}};

/// A fit takes at most `most_columns` terms.
constexpr bool tables_fit() {
  return std::ranges::all_of(format_table, [](const FormatFacts& facts) {
    return facts.multiply_terms.size() <= most_columns &&
           2 * facts.convert_terms.size() <= most_columns;
  });
}
static_assert(tables_fit(), "a format lists more terms than a fit can take");

void add(std::vector<Term>& terms, std::span<const CostTerm> more) {
  for (const CostTerm& term : more) {
    const Term added = Term::of(term.factors());
    const bool known = std::ranges::any_of(
        terms, [&](const Term& other) { return other.exponents == added.exponents; });
    if (!known) terms.push_back(added);
  }
}

}  // namespace

std::vector<Term> candidate_terms(const ModelKey& key) {
  std::vector<Term> terms;
  switch (key.operation) {
    case Operation::Multiply:
      add(terms, facts_of(key.from.format).multiply_terms);
      break;
    case Operation::Convert:
      add(terms, facts_of(std::min(key.from.format, key.to.format)).convert_terms);
      add(terms, facts_of(std::max(key.from.format, key.to.format)).convert_terms);
      break;
    case Operation::Transfer:
      add(terms, transfer_terms);
      break;
    case Operation::Build:
      add(terms, build_terms);
      break;
  }
  return terms;
}

}  // namespace switchyard
