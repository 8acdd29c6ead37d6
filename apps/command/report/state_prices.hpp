// What each state would cost, asked of the planner.
#pragma once

#include <switchyard/core/outlook.hpp>
#include <vector>

namespace switchyard::command::report {

/// Where x and y are from one product to the next.
enum class Vectors {
  Travel,  ///< the program's own memory: x is read and y wanted there for each product
  Stay,    ///< where the products run; x is brought there once
};
[[nodiscard]] VectorTraffic traffic_of(Vectors vectors);

/// A matrix in one state, on the machine that a profile was measured on.
struct Question {
  Structure structure;
  Precision precision = Precision::Float;
  State from;
  Index calls = 1;
  Vectors vectors = Vectors::Travel;
};

/// The graph that the planner would look at.
[[nodiscard]] Yard yard_of(const Question& question, const Profile& profile);

/// The state that the planner would choose; nothing where no way leads to any product.
[[nodiscard]] std::optional<State> best_state(const Question& question, const Profile& profile);

/// What the cheapest way from the one valid state to each of `states` costs, by the planner's
/// shortest paths: conversions and transfers, without a product. Infinite where none leads there,
/// and where nothing multiplies.
[[nodiscard]] std::vector<double> ways_to(const std::vector<State>& states, Yard yard);

/// Every state in which the profile has a model of a product, ascending.
[[nodiscard]] std::vector<State> states_of(const Profile& profile);

/// The states that a report offers as the matrix's first one, ascending: of the formats that a
/// matrix is given in, eight states at most, taken from the spaces in turn, so that the data does
/// not grow with the square of the formats.
[[nodiscard]] std::vector<State> starts_among(const std::vector<State>& states);

}  // namespace switchyard::command::report
