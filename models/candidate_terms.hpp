// The terms that a fit may choose from: the search space, as a table.
#pragma once

#include <span>
#include <switchyard/models/cost_model.hpp>

namespace switchyard {

/// The candidates for the models of `operation`, with coefficients of 0. Where two serve equally
/// well, the earlier one is taken.
[[nodiscard]] std::span<const Term> candidate_terms(Operation operation) noexcept;

}  // namespace switchyard
