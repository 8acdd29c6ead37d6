// Whether a model holds only numbers that a measurement can give.
#pragma once

#include <string>
#include <switchyard/models/cost_model.hpp>

namespace switchyard {

/// The highest power a term may have: no candidate has more than 2.
inline constexpr int highest_exponent = 4;

/// What is wrong with `model`, e.g. "tier 0: a coefficient is negative"; empty if nothing.
[[nodiscard]] std::string complaint_about(const CostModel& model);

}  // namespace switchyard
