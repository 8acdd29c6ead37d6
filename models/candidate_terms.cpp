// The table of candidate terms. To let a model see something new, add a line.
#include "candidate_terms.hpp"

#include <array>

#include "nnls.hpp"

namespace switchyard {

namespace {

using enum Quantity;

constexpr std::array multiply_terms{
    Term::of({}),                // the launch
    Term::of({Bytes}),           // streaming
    Term::of({Rows}),            // starting and ending a row
    Term::of({Nonzeros}),        // instructions on each
    Term::of({Elements}),        // the same, where zeros are stored
    Term::of({Gathered}),        // lines of x, wherever they are
    Term::of({Longest}),         // the last thread to finish
    Term::of({Spread}),          // uneven rows
    Term::of({Uneven}),          // the last row to finish, where the mean decides who shares it
    Term::of({Cols}),            // x, where it has to travel
    Term::of({Gathered, Cols}),  // lines of x that a longer x drives out of the cache
    Term::of({Rows, Longest}),   // rows padded, or waiting, for the longest of their group
    Term::of({Bytes, Bytes}),    // a cache that is left by and by
};

constexpr std::array convert_terms{
    Term::of({}), Term::of({Bytes}), Term::of({Rows}), Term::of({Elements}), Term::of({Nonzeros}),
};

// The square, because bandwidth falls gradually where a copy outgrows a cache.
constexpr std::array transfer_terms{Term::of({}), Term::of({Bytes}), Term::of({Bytes, Bytes})};

constexpr std::array build_terms{Term::of({})};

static_assert(multiply_terms.size() <= most_columns);
static_assert(convert_terms.size() <= most_columns);

// In the order of `Operation`.
constexpr std::array<std::span<const Term>, 4> by_operation{multiply_terms, convert_terms,
                                                            transfer_terms, build_terms};

}  // namespace

std::span<const Term> candidate_terms(Operation operation) noexcept {
  return by_operation[static_cast<std::size_t>(operation)];
}

}  // namespace switchyard
