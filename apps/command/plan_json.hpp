// Plans as JSON: what anyone needs to compute the decision again.
#pragma once

#include <switchyard/core/counters.hpp>
#include <switchyard/core/plan.hpp>
#include <switchyard/core/planner.hpp>

#include "output.hpp"

namespace switchyard::command {

/// `rows`, `cols`, `nnz`, `density`; `exact` is false where the nonzeros were estimated.
[[nodiscard]] Json matrix_json(const Structure& structure);

/// `steps` and `predicted_seconds`; what was not measured is null.
[[nodiscard]] Json plan_json(const Plan& plan);

/// Adds a priced graph: `valid`, `edges`, `nodes`.
void add_yard(Json& document, const Yard& yard);

/// Adds what was asked of the matrix: `columns` of x, and whether it was `transposed`.
void add_request(Json& document, const Request& request = {});

/// Adds the graph that the plan was found in and what it was chosen from: `horizon`, `precision`,
/// `columns`, `transposed`, `valid`, `edges`, `nodes`, `plan`, `alternatives`, `changes_from`,
/// `changes_below` and the states chosen there, `refused`, `vectors`, `models`.
void add_decision(Json& document, const Plan& plan, Precision precision);

/// Every counter by its name.
[[nodiscard]] Json counters_json(const Counters& counters);

/// The names of states, in their order.
[[nodiscard]] Json state_names(const std::vector<State>& states);

}  // namespace switchyard::command
