// Whether a profile holds only numbers that a measurement can give.
#pragma once

#include <string>
#include <switchyard/models/profile.hpp>

namespace switchyard {

/// The highest power a term may have: no candidate has more than 2.
inline constexpr int highest_exponent = 4;

/// What is wrong with `model`, e.g. "tier 0: a coefficient is negative"; empty if nothing.
[[nodiscard]] std::string complaint_about(const CostModel& model);

/// Whether a machine can have been loaded like that.
[[nodiscard]] bool is_possible(const CalibrationLoad& load);

}  // namespace switchyard
