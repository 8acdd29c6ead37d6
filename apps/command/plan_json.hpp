// Plans as JSON: what anyone needs to compute the decision again.
#pragma once

#include <switchyard/core/counters.hpp>
#include <switchyard/core/plan.hpp>
#include <switchyard/core/planner.hpp>

#include "json_document.hpp"
#include "json_value.hpp"

namespace switchyard::command {

/// `rows`, `cols`, `nnz`, `density`; `exact` is false where the nonzeros were estimated.
[[nodiscard]] JsonValue matrix_json(const Structure& structure);

/// `steps` and `predicted_seconds`; what was not measured is null.
[[nodiscard]] JsonValue plan_json(const Plan& plan);

/// Adds a priced graph: `valid`, `edges`, `nodes`.
void add_yard(JsonValue& document, const Yard& yard);

/// Adds what was asked of the matrix: `columns` of x, and whether it was `transposed`.
void add_request(JsonValue& document, const Request& request = {});

/// Adds the graph that the plan was found in and what it was chosen from: `horizon`, `precision`,
/// `columns`, `transposed`, `valid`, `edges`, `nodes`, `plan`, `alternatives`, `changes_from`,
/// `changes_below` and the states chosen there, `refused`, `vectors`, `models`.
void add_decision(JsonValue& document, const Plan& plan, Precision precision);

/// Every counter by its name.
[[nodiscard]] JsonValue counters_json(const Counters& counters);

/// The names of states, in their order.
[[nodiscard]] JsonValue state_names(const std::vector<State>& states);

/// The document as `json_text` writes it, its `schema_version` first. REQUIRES: an object.
[[nodiscard]] std::string json_value_text(JsonValue document);

// The same in documents of the command.

/// As above.
void add_yard(Json& document, const Yard& yard);
/// As above.
void add_request(Json& document, const Request& request = {});
/// As above.
void add_decision(Json& document, const Plan& plan, Precision precision);

}  // namespace switchyard::command
