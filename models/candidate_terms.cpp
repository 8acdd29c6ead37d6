// The table of candidate terms. To let a model see something new, add a line.
#include "candidate_terms.hpp"

#include <array>
#include <initializer_list>

#include "nnls.hpp"

namespace switchyard {

namespace {

constexpr Term product_of(std::initializer_list<Quantity> quantities) {
  Term term;
  for (const Quantity quantity : quantities) ++term.exponents[static_cast<std::size_t>(quantity)];
  return term;
}

using enum Quantity;

constexpr std::array multiply_terms{
    product_of({}),                // the launch
    product_of({Bytes}),           // streaming
    product_of({Rows}),            // starting and ending a row
    product_of({Nonzeros}),        // instructions on each
    product_of({Elements}),        // the same, where zeros are stored
    product_of({Gathered}),        // lines of x, wherever they are
    product_of({Longest}),         // the last thread to finish
    product_of({Spread}),          // uneven rows
    product_of({Uneven}),          // the last row to finish, where the mean decides who shares it
    product_of({Cols}),            // x, where it has to travel
    product_of({Gathered, Cols}),  // lines of x that a longer x drives out of the cache
    product_of({Rows, Longest}),   // rows padded, or waiting, for the longest of their group
    product_of({Bytes, Bytes}),    // a cache that is left by and by
};

constexpr std::array convert_terms{
    product_of({}),         product_of({Bytes}),    product_of({Rows}),
    product_of({Elements}), product_of({Nonzeros}),
};

// The square, because bandwidth falls gradually where a copy outgrows a cache.
constexpr std::array transfer_terms{product_of({}), product_of({Bytes}),
                                    product_of({Bytes, Bytes})};

constexpr std::array build_terms{product_of({})};

static_assert(multiply_terms.size() <= most_columns);
static_assert(convert_terms.size() <= most_columns);

}  // namespace

std::span<const Term> candidate_terms(Operation operation) noexcept {
  switch (operation) {
    case Operation::Multiply:
      return multiply_terms;
    case Operation::Convert:
      return convert_terms;
    case Operation::Transfer:
      return transfer_terms;
    case Operation::Build:
      return build_terms;
  }
  return build_terms;
}

}  // namespace switchyard
