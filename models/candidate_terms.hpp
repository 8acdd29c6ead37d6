// The terms that a fit may choose from.
#pragma once

#include <switchyard/models/cost_model.hpp>
#include <vector>

namespace switchyard {

/// The candidates for the model of that key, with coefficients of 0: those of a multiplication from
/// its format's row in the table of formats, those of a conversion from the rows of both formats.
/// Where two serve equally well, the earlier one is taken.
[[nodiscard]] std::vector<Term> candidate_terms(const ModelKey& key);

}  // namespace switchyard
